export { inChinese, unknownInChinese } from './chinese';
export { describeAnswer, drawLanes, drawMermaid } from './lanes';
export * from './matrix-page';
export { drawSlide, type SlideLabels } from './slide';
