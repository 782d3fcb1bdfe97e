/** Names of images, as clients and runtimes must both understand them. */
export { type ImageName, parseImageName, withDefaultTag } from './image-name.ts';
