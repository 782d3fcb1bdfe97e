/** The program: flags, and the connection to the API server. */
export { type DnsCommandOptions, dnsFlags } from './dns-flags.ts';
export { dnsHelp, parseDnsOptions } from './parse-options.ts';
export { type DnsEnvironment, runDns } from './run-dns.ts';
