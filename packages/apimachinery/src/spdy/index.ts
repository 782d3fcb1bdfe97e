/** The frames of SPDY/3.1, as Kubernetes uses it to multiplex the streams of exec, attach and port-forward. No I/O, no compression. */
export {
  dataFrame,
  goAway,
  ping,
  readHeaderBlock,
  resetCancel,
  rstStream,
  type SpdyFrame,
  SpdyFrameReader,
  synReply,
  synStream,
} from './frames.ts';
