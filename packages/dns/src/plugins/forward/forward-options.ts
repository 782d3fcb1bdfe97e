import { isIP } from 'node:net';
import { argumentError, type Directive, errorAt, zonesOf } from '../../corefile/index.ts';
import { fqdn, isDomainName, rcodeByName } from '../../wire/index.ts';
import { type ConfigurationFiles, durationOf, integerOf, noArguments, oneArgument } from '../setup/index.ts';
import type { UpstreamAddress } from './exchange.ts';

type Policy = 'random' | 'round_robin' | 'sequential';

interface Destination {
  readonly to: UpstreamAddress;
  readonly isTls: boolean;
}

export interface ForwardOptions {
  readonly from: string;
  readonly destinations: readonly Destination[];
  except: string[];
  forcesTcp: boolean;
  prefersUdp: boolean;
  expireMs: number;
  readTimeoutMs: number;
  maxFails: number;
  maxConcurrent: number;
  maxAttempts: number | undefined;
  policy: Policy;
  healthCheck: { intervalMs: number; domain: string; isRecursive: boolean };
  tlsServerName: string;
  tlsCa: string | undefined;
  /** Response codes after which the next `forward` is asked. */
  nextRcodes: number[];
  passesNodata: boolean;
  /** Response codes after which the next server is asked. */
  failoverRcodes: number[];
  failsFast: boolean;
}

const maxDestinations = 15;

/** Parses one directive `forward`. Throws a CorefileError. */
export async function forwardOptions(directive: Directive, files: ConfigurationFiles): Promise<ForwardOptions> {
  const [fromText, ...to] = directive.args;
  if (fromText === undefined || to.length === 0) throw argumentError(directive);
  const [from = '.'] = zonesOf(fromText, directive);
  const destinations = (await Promise.all(to.map((one) => destinationsOf(directive, one, files)))).flat();
  if (destinations.length === 0) throw errorAt(directive, 'no valid upstream addresses found');
  if (destinations.length > maxDestinations) {
    throw errorAt(directive, `more than ${maxDestinations} TOs configured: ${destinations.length}`);
  }
  const options: ForwardOptions = {
    from,
    destinations,
    except: [],
    forcesTcp: false,
    prefersUdp: false,
    expireMs: 10_000,
    readTimeoutMs: 2000,
    maxFails: 2,
    maxConcurrent: 0,
    maxAttempts: undefined,
    policy: 'random',
    healthCheck: { intervalMs: 500, domain: '.', isRecursive: true },
    tlsServerName: '',
    tlsCa: undefined,
    nextRcodes: [],
    passesNodata: false,
    failoverRcodes: [],
    failsFast: false,
  };
  for (const option of directive.block ?? []) {
    if (option.name === 'tls') await readTls(option, options, files);
    else readOption(option, options);
  }
  return options;
}

/** An address, `dns://` or `tls://` before it, or a file like `/etc/resolv.conf`. */
async function destinationsOf(directive: Directive, text: string, files: ConfigurationFiles): Promise<Destination[]> {
  const [, transport = 'dns', rest = text] = /^([a-z]+):\/\/(.*)$/.exec(text) ?? [];
  if (transport !== 'dns' && transport !== 'tls') {
    throw errorAt(directive, `'${transport}' is not supported as a destination protocol in forward: ${text}`);
  }
  const isTls = transport === 'tls';
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:]+|.*:.*:.*))(?::(\d+))?$/.exec(rest) ?? [];
  const address = bracketed ?? plain ?? rest;
  if (isIP(address) !== 0) {
    const port = portText === undefined ? (isTls ? 853 : 53) : Number(portText);
    return [{ to: { address, port }, isTls }];
  }
  const file = await files.read(rest);
  if (file === undefined) throw errorAt(directive, `not an IP address or file: ${JSON.stringify(rest)}`);
  const addresses = Array.from(file.matchAll(/^\s*nameserver\s+(\S+)/gm), ([, found = '']) => found);
  if (addresses.length === 0) throw errorAt(directive, `no nameservers in ${rest}`);
  return addresses
    .filter((found) => isIP(found.split('%')[0] ?? '') !== 0)
    .map((found) => ({ to: { address: found, port: 53 }, isTls: false }));
}

async function readTls(option: Directive, options: ForwardOptions, files: ConfigurationFiles): Promise<void> {
  const [ca, ...more] = option.args;
  if (more.length > 0) throw errorAt(option, `client certificates are not supported`);
  if (ca === undefined) return;
  const text = await files.read(ca);
  if (text === undefined) throw errorAt(option, `open ${ca}: no such file or directory`);
  options.tlsCa = text;
}

function readOption(option: Directive, options: ForwardOptions): void {
  const { name, args } = option;
  const count = (): number => {
    const value = integerOf(option, oneArgument(option));
    if (value < 0) throw errorAt(option, `${name} can't be negative: ${value}`);
    return value;
  };
  const duration = (): number => {
    const value = durationOf(option, oneArgument(option));
    if (value < 0) throw errorAt(option, `${name} can't be negative: ${args[0]}`);
    return value;
  };
  switch (name) {
    case 'except':
      if (args.length === 0) throw argumentError(option);
      options.except.push(...args.flatMap((zone) => zonesOf(zone, option)));
      return;
    case 'force_tcp':
      noArguments(option);
      options.forcesTcp = true;
      return;
    case 'prefer_udp':
      noArguments(option);
      options.prefersUdp = true;
      return;
    case 'expire':
      options.expireMs = duration();
      return;
    case 'read_timeout':
      options.readTimeoutMs = duration();
      return;
    case 'max_fails':
      options.maxFails = count();
      return;
    case 'max_concurrent':
      options.maxConcurrent = count();
      return;
    case 'max_connect_attempts':
      options.maxAttempts = count();
      return;
    case 'policy':
      options.policy = policyOf(option);
      return;
    case 'health_check':
      readHealthCheck(option, options);
      return;
    case 'tls_servername':
      options.tlsServerName = oneArgument(option);
      return;
    case 'next':
      options.nextRcodes.push(...rcodes(option));
      return;
    case 'next_on_nodata':
      noArguments(option);
      options.passesNodata = true;
      return;
    case 'failover':
      options.failoverRcodes.push(...rcodes(option));
      return;
    case 'failfast_all_unhealthy_upstreams':
      noArguments(option);
      options.failsFast = true;
      return;
    // The connections of this implementation are bounded by themselves.
    case 'max_idle_conns':
      count();
      return;
    case 'max_age':
      duration();
      return;
    default:
      throw errorAt(option, `unknown property '${name}'`);
  }
}

function policyOf(option: Directive): Policy {
  const policy = oneArgument(option);
  if (policy === 'random' || policy === 'round_robin' || policy === 'sequential') return policy;
  throw errorAt(option, `unknown policy '${policy}'`);
}

function readHealthCheck(option: Directive, { healthCheck }: ForwardOptions): void {
  const [interval, ...rest] = option.args;
  healthCheck.intervalMs = durationOf(option, interval);
  if (healthCheck.intervalMs < 0) throw errorAt(option, `health_check can't be negative: ${interval}`);
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === 'no_rec') healthCheck.isRecursive = false;
    else if (word === 'domain') {
      const domain = rest.shift();
      if (domain === undefined) throw argumentError(option);
      if (!isDomainName(fqdn(domain))) throw errorAt(option, `health_check: invalid domain name ${domain}`);
      healthCheck.domain = fqdn(domain.toLowerCase());
    } else throw errorAt(option, `health_check: unknown option ${word}`);
  }
}

function rcodes(option: Directive): number[] {
  if (option.args.length === 0) throw argumentError(option);
  return option.args.map((name) => {
    const rcode = rcodeByName(name);
    if (rcode === undefined) throw errorAt(option, `${name} is not a valid rcode`);
    return rcode;
  });
}
