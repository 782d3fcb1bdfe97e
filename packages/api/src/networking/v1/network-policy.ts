import {
  type CIDR,
  type ErrorList,
  forbidden,
  getWarningsForCIDR,
  invalid,
  isCIDRWithin,
  isValidCIDRForLegacyField,
  isValidPortNum,
  type LabelSelectorValidationOptions,
  labels,
  Path,
  parseCIDRSloppy,
  required,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/checks.ts';
import { validatePortNumOrName } from '../../core/v1/port.ts';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../generated/networking/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const specPath = Path.of('spec');
const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

/** An ingress or egress rule: ports and peers. The two kinds have different field names for peers. */
interface Rule {
  readonly path: Path;
  readonly ports: readonly NetworkPolicyPort[];
  readonly peersPath: Path;
  readonly peers: readonly NetworkPolicyPeer[];
}

function rulesOf({ spec }: NetworkPolicy): Rule[] {
  const rule = (
    direction: string,
    i: number,
    ports: Rule['ports'] = [],
    end: string,
    peers: Rule['peers'] = [],
  ): Rule => {
    const path = specPath.child(direction).index(i);
    return { path, ports, peersPath: path.child(end), peers };
  };
  return [
    ...(spec?.ingress ?? []).map(({ ports, from }, i) => rule('ingress', i, ports, 'from', from)),
    ...(spec?.egress ?? []).map(({ ports, to }, i) => rule('egress', i, ports, 'to', to)),
  ];
}

export function setNetworkPolicyDefaults(policy: NetworkPolicy): void {
  for (const { ports } of rulesOf(policy)) for (const port of ports) port.protocol ??= 'TCP';
  policy.spec ??= {};
  const { spec } = policy;
  if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
}

interface Options {
  readonly selectors: LabelSelectorValidationOptions;
  readonly strict: boolean;
  /** CIDRs of the old policy. They are allowed in any rule of the new one. */
  readonly existing: readonly string[];
}

function validatePolicy(policy: NetworkPolicy, old: NetworkPolicy | undefined, context: StrategyContext): ErrorList {
  const podSelector = specPath.child('podSelector');
  const options: Options = {
    selectors: {
      allowInvalidLabelValueInSelector: validateLabelSelector(old?.spec?.podSelector, {}, podSelector).length > 0,
    },
    strict: context.features.enabled('StrictIPCIDRValidation'),
    existing: old
      ? rulesOf(old)
          .flatMap(({ peers }) => peers)
          .flatMap(({ ipBlock }) => cidrsOf(ipBlock))
      : [],
  };
  const errors = validateLabelSelector(policy.spec?.podSelector, options.selectors, podSelector);
  for (const { path, ports, peersPath, peers } of rulesOf(policy)) {
    ports.forEach((port, i) => {
      errors.push(...validatePort(port, path.child('ports').index(i)));
    });
    peers.forEach((peer, i) => {
      errors.push(...validatePeer(peer, peersPath.index(i), options));
    });
  }
  const types = policy.spec?.policyTypes ?? [];
  const typesPath = specPath.child('policyTypes');
  if (types.length > policyTypes.length)
    errors.push(invalid(typesPath, types, 'may not specify more than two policyTypes'));
  else errors.push(...types.flatMap((type, i) => unlessSupported(typesPath.index(i), type, policyTypes)));
  return errors;
}

const cidrsOf = (block: IPBlock | undefined): string[] => (block ? [block.cidr, ...(block.except ?? [])] : []);

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: Path): ErrorList {
  const errors = protocol === undefined ? [] : unlessSupported(path.child('protocol'), protocol, protocols);
  const endPath = path.child('endPort');
  if (port === undefined) {
    if (endPort !== undefined)
      errors.push(invalid(endPath, endPort, 'may not be specified when `port` is not specified'));
    return errors;
  }
  if (typeof port === 'string' && endPort !== undefined)
    errors.push(invalid(endPath, endPort, 'may not be specified when `port` is non-numeric'));
  errors.push(...validatePortNumOrName(port, path.child('port')));
  if (typeof port === 'string' || endPort === undefined) return errors;
  if (endPort < port) errors.push(invalid(endPath, port, 'must be greater than or equal to `port`'));
  return [...errors, ...invalidEach(endPath, endPort, isValidPortNum(endPort))];
}

function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  path: Path,
  options: Options,
): ErrorList {
  const errors = [
    ...validateLabelSelector(podSelector, options.selectors, path.child('podSelector')),
    ...validateLabelSelector(namespaceSelector, options.selectors, path.child('namespaceSelector')),
    ...(ipBlock ? validateIPBlock(ipBlock, path.child('ipBlock'), options) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(path, 'must specify a peer'));
  else if (ipBlock && (podSelector || namespaceSelector))
    errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

function validateIPBlock({ cidr, except = [] }: IPBlock, path: Path, { strict, existing }: Options): ErrorList {
  if (!cidr) return [required(path.child('cidr'))];
  const errors = isValidCIDRForLegacyField(path.child('cidr'), cidr, strict, existing);
  const outer = parseCIDRSloppy(cidr);
  if (!outer) return errors;
  except.forEach((text, i) => {
    const exceptPath = path.child('except').index(i);
    errors.push(...isValidCIDRForLegacyField(exceptPath, text, strict, existing));
    const inner = parseCIDRSloppy(text);
    if (inner && !isStrictlyWithin(inner, outer))
      errors.push(invalid(exceptPath, text, 'must be a strict subset of `cidr`'));
  });
  return errors;
}

const isStrictlyWithin = (inner: CIDR, outer: CIDR): boolean =>
  isCIDRWithin(inner, outer) && inner.prefixBits > outer.prefixBits;

function warningsFor(policy: NetworkPolicy): string[] {
  return rulesOf(policy).flatMap(({ peersPath, peers }) =>
    peers.flatMap(({ ipBlock }, i) => {
      if (!ipBlock) return [];
      const path = peersPath.index(i).child('ipBlock');
      return [
        ...getWarningsForCIDR(path.child('cidr'), ipBlock.cidr),
        ...(ipBlock.except ?? []).flatMap((cidr, j) => getWarningsForCIDR(path.child('except').index(j), cidr)),
      ];
    }),
  );
}

export const networkPolicyStrategy: Strategy<NetworkPolicy> = {
  generation: ['spec'],
  validate: (policy, context) => validatePolicy(policy, undefined, context),
  validateUpdate: validatePolicy,
  warningsOnCreate: warningsFor,
  warningsOnUpdate: warningsFor,
  table: {
    columns: columns('Name', 'Pod-Selector', 'Age'),
    row: ({ metadata, spec }, context) => [
      metadata.name ?? '',
      labels.formatLabelSelector(spec?.podSelector ?? {}),
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
