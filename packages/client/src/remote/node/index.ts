/**
 * The parts of pod access that need Node: local ports (`portForward`), files (`copyToPod`, `copyFromPod`) and Node's
 * streams.
 */
export { CopyError, type CopyOptions, copyFromPod, copyToPod } from './copy.ts';
export { type PortForward, type PortForwardOptions, portForward } from './port-forward.ts';
export type { PortPair } from './port-spec.ts';
export { sinkTo, sourceOf } from './streams.ts';
