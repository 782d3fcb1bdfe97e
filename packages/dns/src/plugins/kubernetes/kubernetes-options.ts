import { parse as parseSelector } from '@coxswain/apimachinery/labels';
import { argumentError, type Directive, errorAt } from '../../corefile/index.ts';
import { isReverseName } from '../../wire/index.ts';
import { type BlockInfo, durationOf, Fallthrough, integerOf, noArguments, onlyOne, originsOf } from '../setup/index.ts';

type PodMode = 'disabled' | 'insecure' | 'verified';

export interface KubernetesOptions {
  readonly zones: readonly string[];
  /** The first zone that is not a reverse one: PTR records point into it. */
  readonly primaryZone: string;
  readonly fallthrough: Fallthrough;
  readonly namespaces: ReadonlySet<string>;
  pods: PodMode;
  ttl: number;
  labels: string;
  namespaceLabels: string;
  hasEndpoints: boolean;
  usesPodNames: boolean;
  ignoresEmptyServices: boolean;
  startupTimeoutMs: number;
}

/** Options that say how to reach the API server. It is reached the way that the program was told. */
const connectionOptions = [
  'endpoint',
  'tls',
  'kubeconfig',
  'apiserver_qps',
  'apiserver_burst',
  'apiserver_max_inflight',
];

/** Parses the directive `kubernetes`. Throws a CorefileError. */
export function kubernetesOptions(directives: readonly Directive[], block: BlockInfo): KubernetesOptions {
  const directive = onlyOne(directives);
  const zones = originsOf(directive, directive.args, block);
  const primaryZone = zones.find((zone) => !isReverseName(`.${zone}`));
  if (primaryZone === undefined) throw errorAt(directive, 'non-reverse zone name must be used');
  const namespaces = new Set<string>();
  const options: KubernetesOptions = {
    zones,
    primaryZone,
    fallthrough: new Fallthrough(),
    namespaces,
    pods: 'disabled',
    ttl: 5,
    labels: '',
    namespaceLabels: '',
    hasEndpoints: true,
    usesPodNames: false,
    ignoresEmptyServices: false,
    startupTimeoutMs: 5000,
  };
  for (const option of directive.block ?? []) {
    if (option.name === 'namespaces') for (const name of someArguments(option)) namespaces.add(name);
    else readOption(option, options);
  }
  if (namespaces.size > 0 && options.namespaceLabels !== '') {
    throw errorAt(directive, 'namespaces and namespace_labels cannot both be set');
  }
  return options;
}

function readOption(option: Directive, options: KubernetesOptions): void {
  const { name, args } = option;
  switch (name) {
    case 'pods':
      options.pods = podMode(option);
      return;
    case 'ttl':
      options.ttl = integerOf(option, args[0]);
      if (options.ttl < 0 || options.ttl > 3600)
        throw errorAt(option, `ttl must be in range [0, 3600]: ${options.ttl}`);
      return;
    case 'fallthrough':
      options.fallthrough.read(option);
      return;
    case 'labels':
      options.labels = selector(option);
      return;
    case 'namespace_labels':
      options.namespaceLabels = selector(option);
      return;
    case 'noendpoints':
      noArguments(option);
      options.hasEndpoints = false;
      return;
    case 'endpoint_pod_names':
      noArguments(option);
      options.usesPodNames = true;
      return;
    case 'ignore':
      if (args[0] !== 'empty_service') throw errorAt(option, `unable to parse ignore value: '${args[0] ?? ''}'`);
      options.ignoresEmptyServices = true;
      return;
    case 'startup_timeout':
      options.startupTimeoutMs = durationOf(option, args[0]);
      return;
    default:
      if (connectionOptions.includes(name)) {
        throw errorAt(option, `'${name}' is not supported: the program's own flags say how to reach the API server`);
      }
      if (['multicluster', 'zonal'].includes(name)) throw errorAt(option, `'${name}' is not supported`);
      throw errorAt(option, `unknown property '${name}'`);
  }
}

function podMode(option: Directive): PodMode {
  const [mode, ...more] = option.args;
  if (mode === undefined || more.length > 0) throw argumentError(option);
  if (mode !== 'disabled' && mode !== 'insecure' && mode !== 'verified') {
    throw errorAt(option, `wrong value for pods: ${mode},  must be one of: disabled, verified, insecure`);
  }
  return mode;
}

function someArguments(option: Directive): readonly string[] {
  if (option.args.length === 0) throw argumentError(option);
  return option.args;
}

function selector(option: Directive): string {
  const text = someArguments(option).join(' ');
  try {
    return parseSelector(text).toString();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw errorAt(option, `unable to parse label selector value: '${text}': ${reason}`);
  }
}
