/**
 * The same as `cluster.ts`, from scripts of which Node keeps what it compiled: a test need not wait each time until it has read megabytes
 * of API server, controllers and scheduler. This is what Node imports of the package as it is built.
 */
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { KeptScripts } from '@coxswain/component-base/kept-scripts';
import type * as plain from './cluster.ts';
import { modules } from './kept-modules.ts';

// In a context of its own, as jest makes for each test, objects that a script makes would be none of the test's.
const isOwnContext = runInThisContext('Object') === Object;
const scripts = isOwnContext
  ? new KeptScripts(fileURLToPath(new URL('../kept', import.meta.url)), { modules })
  : undefined;
const cluster = (scripts ? scripts.load('cluster.cjs') : await import('./cluster.ts')) as typeof plain;

export const { Cluster, defaultComponents, HollowNodeProvider, openMemoryStore, snapshotOf } = cluster;

export const keepCompiled = (): void => scripts?.keepCompiled();
