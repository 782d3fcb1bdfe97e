import { expect, it } from 'vitest';
import { hostNetworkHostsFile, podHostsFile } from './hosts-file.ts';

const hostAliases = [{ ip: '10.0.0.9', hostnames: ['one.remote', 'two.remote'] }];
const podWith = (spec: object) => ({
  metadata: { name: 'web-0', namespace: 'ns' },
  spec: { containers: [], ...spec },
});

it('of a pod has its IP addresses and host aliases', () => {
  expect(podHostsFile(podWith({ hostAliases }), ['10.1.2.3', 'fd00::3'], 'cluster.local')).toBe(
    `# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
10.1.2.3\tweb-0
fd00::3\tweb-0

# Entries added by HostAliases.
10.0.0.9\tone.remote\ttwo.remote
`,
  );
});

it('of a pod with a subdomain has its fully qualified name first', () => {
  const file = podHostsFile(podWith({ hostname: 'db', subdomain: 'dbs' }), ['10.1.2.3'], 'cluster.local');
  expect(file).toContain('\n10.1.2.3\tdb.dbs.ns.svc.cluster.local\tdb\n');
});

it("of a pod in the node's network is the node's hosts file", () => {
  expect(hostNetworkHostsFile(podWith({ hostNetwork: true }), '127.0.0.1 localhost\n')).toBe(
    '# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n',
  );
});
