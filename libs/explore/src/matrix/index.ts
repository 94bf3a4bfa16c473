export * from './cell-text';
export * from './cell-verdict';
export * from './cells';
export * from './expectation';
export * from './lost-replies';
export * from './matrix';
export * from './nested';
