export { containerCgroup, containerExited, noticeLostContainer } from './container-exited.ts';
export { createContainer } from './create-container.ts';
export { execSync } from './exec-sync.ts';
export { recover } from './recover.ts';
export { removeContainer } from './remove-container.ts';
export { reopenLog } from './reopen-log.ts';
export { runSandbox, runtimeHandlers } from './run-sandbox.ts';
export { nowOf, type RuntimeContext } from './runtime-context.ts';
export { attach, exec, forwardPort } from './sessions.ts';
export { startContainer } from './start-container.ts';
export {
  containerStateOf,
  containerStatus,
  listedContainerOf,
  listedSandboxOf,
  sandboxStateOf,
  sandboxStatus,
} from './statuses.ts';
export { stopContainer } from './stop-container.ts';
export { noticeEndOfInit, removeSandbox, stopSandbox } from './stop-sandbox.ts';
export { updateResources } from './update-resources.ts';
