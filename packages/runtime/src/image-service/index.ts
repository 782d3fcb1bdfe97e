/** CRI's ImageService. */
export { type ImageServiceOptions, imageServiceHandlers } from './image-service-handlers.ts';
