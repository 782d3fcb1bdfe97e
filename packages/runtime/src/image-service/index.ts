/** CRI's ImageService. */
export { imageServiceHandlers } from './image-service-handlers.ts';
