export { writeAtomically } from './atomic-file.ts';
export { Container, newContainerState } from './container.ts';
export { ContainerEvents } from './container-events.ts';
export { FoundById } from './found-by-id.ts';
export { identifyProcess, isRunning, type ProcessIdentity, signalProcess } from './process-identity.ts';
export { RecordDirectory } from './record-directory.ts';
export { ReservedNames } from './reserved-names.ts';
export { Sandbox } from './sandbox.ts';
