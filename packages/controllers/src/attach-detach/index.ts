/** Has CSI volumes attached to the nodes that their pods are on, by VolumeAttachments, and detached when those are gone. */
export { type AttachDetachOptions, attachDetachController } from './attach-detach-controller.ts';
