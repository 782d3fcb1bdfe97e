/** Has CSI volumes attached to the nodes that their pods are on, by VolumeAttachments, and detached when those are gone. */
export { attachDetachController } from './attach-detach-controller.ts';
