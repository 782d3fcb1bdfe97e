import {
  boolean,
  type CommandLine,
  flagGroupHelp,
  flagNamesHelp,
  type IgnoredFlag,
  ignored,
  readCommandLine,
  refused,
  type RefusedFlag,
  string,
} from '@coxswain/component-base';
import { loggingProblems } from '@coxswain/component-base/logs';
import { type DnsCommandOptions, dnsFlags, flagGroups } from './dns-flags.ts';

/** CoreDNS' flags without effect. */
const ignoredFlags: Readonly<Record<string, IgnoredFlag>> = {
  quiet: ignored(boolean, 'nothing is printed besides the log'),
  alsologtostderr: ignored(boolean, 'the log goes to stderr'),
  logtostderr: ignored(boolean, 'the log goes to stderr'),
};

const refusedFlags: Readonly<Record<string, RefusedFlag>> = {
  pidfile: refused(string, 'pid files'),
};

/** CoreDNS' flags have one dash, as those of Go's own package do. */
const singleDash = /^-(?=(?:conf|dns\.port|quiet|pidfile|version|alsologtostderr|logtostderr)(?:=|$))/;

/** Parses a command line of CoreDNS or of this program. Throws like `readCommandLine`. */
export function parseDnsOptions(args: readonly string[]): CommandLine<DnsCommandOptions> {
  const form = {
    component: 'coredns',
    self: 'this DNS server',
    flags: dnsFlags,
    ignored: ignoredFlags,
    refused: refusedFlags,
    validate,
  };
  // `-p` is CoreDNS' short form.
  const long = args.map((arg) => arg.replace(singleDash, '--').replace(/^-p(?==|$)/, '--dns.port'));
  return readCommandLine(long, form, {});
}

function validate(given: DnsCommandOptions): string[] {
  const problems = loggingProblems(given);
  const parts = given.configMap?.split('/') ?? ['', ''];
  if (parts.length !== 2) problems.push('--config-map must be a namespace and a name, such as kube-system/coredns');
  return problems;
}

/** Returns the `--help` text. */
export function dnsHelp(command: string): string {
  return [
    `The DNS server of a cluster: names of Services and pods, and everything else from other servers. It is configured by a Corefile.

Usage:
  ${command} [flags]`,
    ...Object.entries(flagGroups).map(([title, flags]) => flagGroupHelp(title, flags)),
    `Accepted for compatibility, without effect:\n\n${flagNamesHelp(ignoredFlags)}`,
    `Refused, because they ask for features that are not supported:\n\n${flagNamesHelp(refusedFlags)}\n`,
  ].join('\n\n');
}
