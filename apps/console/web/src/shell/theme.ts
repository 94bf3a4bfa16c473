export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'theme';

export const storedTheme = (): Theme => {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? 'auto';
};

/** Sets the theme of the document; `auto` leaves it to the system. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
