export * from './clients';
export * from './seam';
