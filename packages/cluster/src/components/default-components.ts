import type { ApiServerComponent, Component } from '../component.ts';
import { type ApiServerSettings, apiServer } from './api-server.ts';
import { type ControllersSettings, controllers } from './controllers.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { nodeBootstrap } from './node-bootstrap.ts';
import { nodes } from './nodes.ts';
import { type SchedulerSettings, scheduler } from './scheduler.ts';

export interface DefaultComponentsSettings {
  readonly apiServer?: ApiServerSettings;
  readonly controllers?: ControllersSettings;
  readonly scheduler?: SchedulerSettings;
  /** Lets other machines join as nodes, with bootstrap tokens. */
  readonly nodesMayJoin?: boolean;
}

/** Beside the usual ones, those that look after bootstrap tokens. */
const joiningControllers = ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'];

/** The components of a cluster, the API server first. Used by `cox up` and the testkit. */
export const defaultComponents = (
  settings: DefaultComponentsSettings = {},
): readonly [ApiServerComponent, ...Component[]] => [
  apiServer(settings.apiServer),
  defaultStorageClass(),
  ...(settings.nodesMayJoin ? [nodeBootstrap()] : []),
  controllers(
    settings.nodesMayJoin ? { controllers: joiningControllers, ...settings.controllers } : settings.controllers,
  ),
  scheduler(settings.scheduler),
  nodes(),
];
