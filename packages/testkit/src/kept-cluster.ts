/**
 * The same exports as `cluster.ts`, loaded from scripts whose compiled code is cached: a test need not wait for the parsing of megabytes of
 * API server, controllers and scheduler. The built package imports this module instead of `cluster.ts`.
 */
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { KeptScripts } from '@coxswain/component-base/kept-scripts';
import type * as plain from './cluster.ts';
import { modules } from './kept-modules.ts';

// In a separate V8 context, as jest creates for each test file, objects made by the scripts would not be instances of the test's classes.
const isOwnContext = runInThisContext('Object') === Object;
const scripts = isOwnContext
  ? new KeptScripts(fileURLToPath(new URL('../kept', import.meta.url)), { modules })
  : undefined;
const cluster = (scripts ? scripts.load('cluster.cjs') : await import('./cluster.ts')) as typeof plain;

export const { Cluster, defaultComponents, HollowNodeProvider, openMemoryStore, snapshotOf } = cluster;

export const keepCompiled = (): void => scripts?.keepCompiled();
