/** The service of the runtime for people: images with progress. */
export { type ImageProgress, imageControl } from './image-control.ts';
export { imageControlHandlers } from './image-control-handlers.ts';
