/** Attaches CSI volumes to the nodes of the pods that use them, by creating VolumeAttachments, and detaches them by deleting these. */
export { attachDetachController } from './attach-detach-controller.ts';
