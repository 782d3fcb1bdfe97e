import type { ApiServerComponent, Component } from '../component.ts';
import { type ApiServerSettings, apiServer } from './api-server.ts';
import { type ControllersSettings, controllers } from './controllers.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { nodes } from './nodes.ts';
import { type SchedulerSettings, scheduler } from './scheduler.ts';

export interface DefaultComponentsSettings {
  readonly apiServer?: ApiServerSettings;
  readonly controllers?: ControllersSettings;
  readonly scheduler?: SchedulerSettings;
}

/** What a cluster consists of, the API server first: the list of `cox up` and the testkit. */
export const defaultComponents = (
  settings: DefaultComponentsSettings = {},
): readonly [ApiServerComponent, ...Component[]] => [
  apiServer(settings.apiServer),
  defaultStorageClass(),
  controllers(settings.controllers),
  scheduler(settings.scheduler),
  nodes(),
];
