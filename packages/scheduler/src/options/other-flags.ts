import {
  boolean,
  duration,
  type IgnoredFlag,
  ignored,
  type RefusedFlag,
  refusedUnless,
  string,
  strings,
  told,
} from '@coxswain/component-base';

const logs = 'it tunes a logging library that is not used here';
const oneProcess = 'a port is used by a single process';
const allMetrics = 'all metrics are served, with all labels';

/** By name. */
export const ignoredFlags: Readonly<Record<string, IgnoredFlag>> = {
  'allow-metric-labels': told(strings, allMetrics),
  'allow-metric-labels-manifest': told(string, allMetrics),
  'disabled-metrics': told(strings, allMetrics),
  'kube-api-content-type': ignored(string, 'JSON is sent and understood everywhere'),
  'log-flush-frequency': ignored(duration, logs),
  'log-json-info-buffer-size': ignored(string, logs),
  'log-json-split-stream': ignored(boolean, logs),
  'log-text-info-buffer-size': ignored(string, logs),
  'log-text-split-stream': ignored(boolean, logs),
  'permit-address-sharing': ignored(boolean, oneProcess),
  'permit-port-sharing': ignored(boolean, oneProcess),
  'show-hidden-metrics-for-version': ignored(string, 'no metrics are hidden'),
  'tls-curve-preferences': ignored(strings, 'curves are those of OpenSSL'),
};

const versions = ['', '1.36', 'kube=1.36'];

/** By name. */
export const refusedFlags: Readonly<Record<string, RefusedFlag>> = {
  'emulated-version': refusedUnless(strings, versions, 'emulation of older versions'),
  'min-compatibility-version': refusedUnless(strings, [...versions, '1.35', 'kube=1.35'], 'older versions'),
};
