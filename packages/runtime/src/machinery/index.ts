export { ContainerMonitor } from './container-monitor.ts';
export { lockDirectory } from './directory-lock.ts';
export { type ContainerExit, ExitFiles } from './exit-files.ts';
export { type OciFeatures, OciRuntime, type RuntimeContainer } from './oci-runtime.ts';
export { runChecked } from './run-checked.ts';
export { criSignalOf, signalNameOf, signalNumber } from './signals.ts';
