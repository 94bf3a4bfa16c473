/** The header of an option: `leaseMs` → `x-lease-ms`. */
export const headerName = (option: string): string =>
  `x-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
