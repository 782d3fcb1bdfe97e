import type { Plugin } from '../chain/index.ts';
import { argumentError, errorAt } from '../corefile/index.ts';
import { durationOf, noBlock, onlyOne, oneArgument, type Setup } from './setup/index.ts';

/** The plug-in `health`: `/health` is answered as long as the process lives. `lameduck` delays the end, so that clients have time to go elsewhere. */
export const setupHealth: Setup = (directives, { pages }, settings) => {
  const directive = onlyOne(directives);
  const [address = ':8080', ...more] = directive.args;
  if (more.length > 0) throw argumentError(directive);
  for (const option of directive.block ?? []) {
    if (option.name !== 'lameduck') throw argumentError(option);
    settings.lameduckMs = Math.max(settings.lameduckMs, durationOf(option, oneArgument(option)));
  }
  pages.add('health', address, { path: '/health', respond: () => ({ status: 200, text: 'OK' }) });
  const plugin: Plugin = { name: 'health' };
  return plugin;
};

/** The plug-in `ready`: `/ready` is answered with 200 when all plug-ins can answer queries. A plug-in that was ready once stays so, unless it is monitored continuously. */
export const setupReady: Setup = (directives, { pages, notReady }) => {
  const directive = onlyOne(directives);
  const [address = ':8181', ...more] = directive.args;
  if (more.length > 0) throw argumentError(directive);
  let isMonitored = false;
  for (const option of directive.block ?? []) {
    const mode = option.name === 'monitor' ? oneArgument(option) : '';
    if (mode !== 'until-ready' && mode !== 'continuously') throw argumentError(option);
    isMonitored = mode === 'continuously';
  }
  let wasReady = false;
  pages.add('ready', address, {
    path: '/ready',
    respond: () => {
      const missing = wasReady && !isMonitored ? [] : notReady();
      wasReady ||= missing.length === 0;
      return missing.length === 0 ? { status: 200, text: 'OK' } : { status: 503, text: missing.join(',') };
    },
  });
  const plugin: Plugin = { name: 'ready' };
  return plugin;
};

/** The plug-in `prometheus`: `/metrics`. Only zones with it are measured. */
export const setupPrometheus: Setup = (directives, { pages, metricsText }) => {
  const directive = onlyOne(directives);
  const [address = 'localhost:9153', ...more] = directive.args;
  if (more.length > 0) throw argumentError(directive);
  noBlock(directive);
  pages.add('metrics', address, {
    path: '/metrics',
    respond: () => ({
      status: 200,
      text: metricsText(),
      type: 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    }),
  });
  const plugin: Plugin = { name: 'prometheus' };
  return plugin;
};

const defaultIntervalMs = 30_000;
const minIntervalMs = 2000;

/** The plug-in `reload`: a changed configuration is used without a restart. */
export const setupReload: Setup = (directives, { random }, settings) => {
  const directive = onlyOne(directives);
  const [interval, jitterText, ...more] = directive.args;
  if (more.length > 0) throw argumentError(directive);
  const intervalMs = interval === undefined ? defaultIntervalMs : durationOf(directive, interval);
  if (intervalMs < minIntervalMs) throw errorAt(directive, 'interval value must be greater or equal to 2s');
  const jitterMs = jitterText === undefined ? defaultIntervalMs / 2 : durationOf(directive, jitterText);
  if (jitterMs !== 0 && jitterMs < 1000) throw errorAt(directive, 'jitter value must be 0 or greater or equal to 1s');
  noBlock(directive);
  settings.reloadIntervalMs = intervalMs + (random() - 0.5) * Math.min(jitterMs, intervalMs / 2);
  const plugin: Plugin = { name: 'reload' };
  return plugin;
};
