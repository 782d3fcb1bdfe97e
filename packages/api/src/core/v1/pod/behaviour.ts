import type { Defaulter, Strategy } from '../../../strategy/strategy.ts';
import { bindingStrategy } from './binding.ts';
import { setPodDefaults, setPodTemplateDefaults, setReplicationControllerDefaults } from './defaults.ts';
import { podStrategy } from './pod-strategy.ts';
import { podTemplateStrategy, replicationControllerStrategy } from './replication-controller.ts';

/** The functions that set defaults, by kind. */
export const podDefaults = {
  Pod: setPodDefaults,
  PodTemplate: setPodTemplateDefaults,
  ReplicationController: setReplicationControllerDefaults,
} satisfies Readonly<Record<string, Defaulter<never>>>;

/** The strategies, by kind. */
export const podStrategies = {
  Pod: podStrategy,
  PodTemplate: podTemplateStrategy,
  ReplicationController: replicationControllerStrategy,
  Binding: bindingStrategy,
} satisfies Readonly<Record<string, Strategy<never>>>;
