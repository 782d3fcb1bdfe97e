import { describe, expect, it } from 'vitest';
import { setUp, testContext } from './test-context.test-data.ts';

const files = { '/etc/resolv.conf': 'search x\nnameserver 192.0.2.53\n', '/etc/none': '' };

describe('a plug-in accepts', () => {
  it.each([
    'kubernetes cluster.local in-addr.arpa ip6.arpa {\n pods insecure\n fallthrough in-addr.arpa ip6.arpa\n ttl 30\n}',
    'kubernetes cluster.local {\n labels app in (a, b)\n namespaces x y\n ignore empty_service\n startup_timeout 1s\n}',
    'forward . /etc/resolv.conf {\n max_concurrent 1000\n policy round_robin\n health_check 1s no_rec domain example.org\n}',
    'forward . 192.0.2.1:54 [2001:db8::1]:54 2001:db8::2 tls://192.0.2.3 {\n tls_servername dns.example\n expire 20s\n}',
    'cache 30 {\n success 1000 30 5\n denial 100 10\n prefetch 3 2m 20%\n serve_stale 1h verify 100ms 30s 5s\n disable denial cluster.local\n servfail 1s\n keepttl\n}',
    'hosts /etc/coredns/NodeHosts example.org {\n 10.0.0.1 a.example.org\n ttl 60\n reload 15s\n no_reverse\n fallthrough\n}',
    'log . "{remote} {>id} {combined}" {\n class denial error\n}',
    'errors {\n consolidate 5m ".* i/o timeout$" warning show_first\n stacktrace\n}',
    'health :9080 {\n lameduck 5s\n}',
    'ready {\n monitor continuously\n}',
    'reload 10s 2s',
    'loadbalance round_robin',
    'prometheus :9153',
    'loop',
    'rewrite name regex (.*)\\.a {1}.b answer name (.*)\\.b {1}.a answer value (.*)\\.b {1}.a',
    'rewrite continue ttl regex .*\\.a 5-10',
    'template IN A a.example {\n match ^(?P<x>a)\\.example\\.$\n answer "{{ .Name }} 60 IN A 10.0.0.{{ parseInt .Group.x 16 8 }}"\n}',
  ])('%s', async (text) => {
    const { plugin } = await setUp(text, testContext(files));
    await plugin.stopped?.();
    expect(plugin.name).toBe(text.split(/[ \n]/)[0]);
  });
});

describe('a plug-in refuses', () => {
  it.each([
    ['kubernetes in-addr.arpa', 'Corefile:2 - Error during parsing: non-reverse zone name must be used'],
    ['kubernetes {\n pods maybe\n}', 'wrong value for pods: maybe,  must be one of: disabled, verified, insecure'],
    [
      'kubernetes cluster.local {\n ttl 4000\n}',
      'Corefile:3 - Error during parsing: ttl must be in range [0, 3600]: 4000',
    ],
    ['kubernetes cluster.local {\n ttl\n}', `Wrong argument count or unexpected line ending after 'ttl'`],
    ['kubernetes cluster.local {\n foo\n}', `unknown property 'foo'`],
    [
      'kubernetes cluster.local {\n kubeconfig x\n}',
      `'kubeconfig' is not supported: the program's own flags say how to reach the API server`,
    ],
    [
      'kubernetes cluster.local {\n namespaces a\n namespace_labels b\n}',
      'namespaces and namespace_labels cannot both be set',
    ],
    [
      'kubernetes cluster.local\nkubernetes other.local',
      'Corefile:3 - Error during parsing: this plugin can only be used once per Server Block',
    ],
    ['forward .', `Wrong argument count or unexpected line ending after 'forward'`],
    ['forward . /nowhere', 'not an IP address or file: "/nowhere"'],
    ['forward . /etc/none', 'no nameservers in /etc/none'],
    ['forward . https://192.0.2.1', `'https' is not supported as a destination protocol in forward`],
    ['forward . 192.0.2.1 {\n policy best\n}', `unknown policy 'best'`],
    ['forward . 192.0.2.1 {\n max_fails x\n}', 'strconv.Atoi: parsing "x": invalid syntax'],
    ['cache 0', 'cache TTL can not be zero or negative: 0'],
    ['cache {\n prefetch 1 1m 5%\n}', 'percentage should fall in range [10, 90]: 5'],
    ['cache {\n servfail 6m\n}', 'caching SERVFAIL responses over 5 minutes is not permitted'],
    ['cache {\n serve_stale 1h sometimes\n}', 'invalid value for serve_stale refresh mode: sometimes'],
    ['hosts {\n ttl 0\n}', 'ttl provided is invalid'],
    ['hosts {\n fallthrough\n 10.0.0.1 a\n}', `unknown property '10.0.0.1'`],
    ['log . {\n class some\n}', 'invalid Class: some'],
    ['errors other', 'invalid log file: other'],
    ['errors {\n consolidate 5m (\n}', 'missing closing )'],
    ['loadbalance weighted x', `the policy 'weighted' is not supported`],
    ['reload 1s', 'interval value must be greater or equal to 2s'],
    ['rewrite name a', 'too few arguments for a name rule'],
    ['rewrite edns0 local set 1 2', `rewrite rules of the type 'edns0' are not supported`],
    ['rewrite name regex (.*) {1}.{2}', 'uses more subexpressions than its corresponding matching regex pattern'],
    ['rewrite ttl a x', `invalid TTL 'x' for a ttl rule`],
    ['template IN FOO', 'invalid RR class FOO'],
    ['template IN A {\n answer "{{ .Foo | bar }}"\n}', 'could not compile template: answer'],
    ['template IN A {\n expr true\n}', `'expr' is not supported`],
  ])('%s', async (text, problem) => {
    await expect(setUp(text, testContext(files))).rejects.toThrow(problem);
  });
});
