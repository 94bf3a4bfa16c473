export * from './lanes';
export * from './matrix-page';
