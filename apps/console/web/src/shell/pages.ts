/** The pages of the header, in its order; each is the first part of its address. */
export const PAGES = ['run', 'step', 'explore', 'matrix', 'catalogue', 'lessons'] as const;
