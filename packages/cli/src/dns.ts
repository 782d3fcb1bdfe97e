import { dnsFlags, dnsHelp, parseDnsOptions, runDns } from '@coxswain/dns';
import { componentBody } from './commands/component-body.ts';
import { runComponent } from './component-command.ts';
import type { Terminal } from './main.ts';
import type { ServerProcess } from './server-process.ts';

/** `cox dns`: the DNS server of a cluster, with CoreDNS' flags. */
export function dns(args: readonly string[], terminal: Terminal, process: ServerProcess): Promise<number> {
  const component = {
    name: 'coredns',
    command: 'cox dns',
    started: 'the DNS server is running',
    parse: parseDnsOptions,
    help: dnsHelp,
    run: runDns,
  };
  return runComponent(component, args, terminal, process);
}

export const dnsCommand = componentBody(dns, dnsFlags);
