/** A query as tests send it. */
export interface TestQuery {
  readonly name: string;
  readonly type: string;
  readonly class?: string;
  readonly protocol?: 'udp' | 'tcp';
  /** The second word of the header. Default: RD. */
  readonly flags?: number;
  readonly edns?: {
    readonly udpSize: number;
    readonly flags?: number;
    readonly version?: number;
    readonly options?: string;
  };
}

/** A Corefile and what is asked. `PORT` and `UPSTREAM` are replaced by ports, `CONNECTION` by how CoreDNS reaches the API server. */
export interface QueryGroup {
  readonly title: string;
  readonly corefile: string;
  readonly queries: readonly TestQuery[];
}

const each = (names: readonly string[], types: readonly string[]): TestQuery[] =>
  names.flatMap((name) => types.map((type) => ({ name, type })));

const inCluster = (...names: readonly string[]): string[] => names.map((name) => `${name}.cluster.local.`);

const all = ['A', 'AAAA', 'SRV', 'TXT', 'CNAME', 'PTR', 'MX', 'NS', 'SOA', 'ANY', 'HTTPS', 'DS', 'AXFR'];

const reverse4 = (address: string): string => `${address.split('.').reverse().join('.')}.in-addr.arpa.`;

const services = inCluster(
  'web.test.svc',
  'single.test.svc',
  'dual.test.svc',
  'empty.test.svc',
  'headless.test.svc',
  'headless-v6.test.svc',
  'no-ports.test.svc',
  'no-endpoints.test.svc',
  'external-inside.test.svc',
  'external-twice.test.svc',
  'external-nothing.test.svc',
  'external-loop.test.svc',
  'nothing.test.svc',
  'web.hidden.svc',
  'web.nowhere.svc',
);

const ports = inCluster(
  '_http._tcp.web.test.svc',
  '_dns._udp.web.test.svc',
  '_dns._tcp.web.test.svc',
  '_http._tcp.headless.test.svc',
  '_http._tcp.dual.test.svc',
  '_http._tcp.external-inside.test.svc',
  '_nothing._tcp.web.test.svc',
  'http.tcp.web.test.svc',
  '_a._b._c.web.test.svc',
  'a.b.c.d.web.test.svc',
);

const endpoints = inCluster(
  'node-0.headless.test.svc',
  'node-3.headless.test.svc',
  '10-244-0-22.headless.test.svc',
  'headless-2.headless.test.svc',
  'six.headless-v6.test.svc',
  'fd00--20.headless-v6.test.svc',
  '10-244-0-10.web.test.svc',
  'web-abc.web.test.svc',
  'lonely.no-ports.test.svc',
);

const others = inCluster(
  'svc',
  'pod',
  'test.svc',
  'nowhere.svc',
  'test.pod',
  'dns-version',
  'ns.dns',
  'x',
  'x.y',
  'x.test.other',
);

const pods = inCluster(
  '10-244-0-7.test.pod',
  '10-244-0-8.test.pod',
  '10-244-0-7.hidden.pod',
  '10-244-0-7.nowhere.pod',
  'fd00--20.test.pod',
  'not-an-address.test.pod',
  '1-2-3-400.test.pod',
);

const reverse = [
  reverse4('10.96.10.1'),
  reverse4('10.96.10.5'),
  reverse4('10.244.0.20'),
  reverse4('10.244.0.22'),
  reverse4('10.244.0.23'),
  reverse4('10.244.0.99'),
  '10.in-addr.arpa.',
  'in-addr.arpa.',
  '3.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.1.0.0.0.0.d.f.ip6.arpa.',
  '0.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa.',
];

const kubeadm = `
.:PORT {
    errors
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
       CONNECTION
    }
    forward . 127.0.0.1:UPSTREAM {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loadbalance
}
`;

const messages: readonly TestQuery[] = [
  { name: 'wEb.TeSt.sVc.cluster.LOCAL.', type: 'A' },
  { name: '_hTTp._tcp.web.Test.svc.cluster.local.', type: 'SRV' },
  { name: 'web.test.svc.cluster.local.', type: 'A', flags: 0 },
  { name: 'web.test.svc.cluster.local.', type: 'A', flags: 0x0130 },
  { name: 'web.test.svc.cluster.local.', type: 'A', edns: { udpSize: 1232 } },
  { name: 'web.test.svc.cluster.local.', type: 'A', edns: { udpSize: 100, flags: 0x8000 } },
  { name: 'web.test.svc.cluster.local.', type: 'A', edns: { udpSize: 4096, options: '000a00080102030405060708' } },
  { name: 'web.test.svc.cluster.local.', type: 'A', edns: { udpSize: 4096, version: 1 } },
  { name: 'nothing.test.svc.cluster.local.', type: 'A', edns: { udpSize: 4096 } },
  { name: 'big.test.svc.cluster.local.', type: 'A', edns: { udpSize: 4096 } },
  { name: 'big.test.svc.cluster.local.', type: 'A', protocol: 'tcp' },
  { name: 'big.test.svc.cluster.local.', type: 'SRV', protocol: 'tcp' },
  { name: 'web.test.svc.cluster.local.', type: 'A', protocol: 'tcp' },
  { name: 'web.test.svc.cluster.local.', type: 'A', class: 'CH' },
  { name: '.', type: 'NS' },
];

const upstream: readonly TestQuery[] = [
  ...each(
    [
      'www.example.org.',
      'alias.example.org.',
      'gone.example.org.',
      'nodata.example.org.',
      'refused.example.org.',
      'servfail.example.org.',
    ],
    ['A', 'AAAA', 'TXT'],
  ),
  ...each(inCluster('external.test.svc', 'external-gone.test.svc'), ['A', 'AAAA', 'CNAME', 'SRV', 'TXT']),
  ...each([reverse4('192.0.2.1')], ['PTR']),
  { name: 'www.example.org.', type: 'A', edns: { udpSize: 1232 } },
];

export const queryGroups: readonly QueryGroup[] = [
  {
    title: 'the Corefile of kubeadm',
    corefile: kubeadm,
    queries: [
      ...each(services, all),
      ...each(ports, ['A', 'SRV', 'TXT']),
      ...each(endpoints, ['A', 'AAAA', 'SRV']),
      ...each(others, ['A', 'TXT', 'SRV', 'SOA', 'PTR', 'CNAME']),
      ...each(pods, ['A', 'AAAA', 'SRV', 'TXT', 'PTR']),
      ...each(reverse, ['PTR', 'A', 'SOA']),
      ...each(['cluster.local.'], [...all.filter((type) => type !== 'NS')]),
      ...messages,
      ...upstream,
    ],
  },
  {
    title: 'verified pods, names of pods, and one namespace',
    corefile: `
cluster.local:PORT in-addr.arpa:PORT {
  kubernetes cluster.local in-addr.arpa {
    pods verified
    endpoint_pod_names
    namespaces test
    ignore empty_service
    CONNECTION
  }
}
`,
    queries: [
      ...each(services.slice(0, 9), ['A', 'SRV', 'TXT']),
      ...each(inCluster('web.hidden.svc', 'hidden.svc'), ['A', 'TXT']),
      ...each(endpoints, ['A', 'SRV']),
      ...each(pods, ['A', 'AAAA']),
      ...each(reverse.slice(0, 8), ['PTR']),
      { name: 'www.example.org.', type: 'A' },
    ],
  },
  {
    title: 'no pods, no endpoints, a cached cluster',
    corefile: `
cluster.local:PORT {
  cache 10
  kubernetes {
    noendpoints
    namespace_labels exposed=true
    CONNECTION
  }
}
`,
    queries: [
      ...each(services.slice(0, 8), ['A', 'SRV']),
      ...each(inCluster('web.hidden.svc', 'dns-version', 'test.svc'), ['A', 'TXT']),
      ...each(pods.slice(0, 2), ['A']),
      ...each(reverse.slice(0, 1), ['PTR']),
    ],
  },
  {
    title: 'hosts, templates and rewriting',
    corefile: `
example.org:PORT {
  rewrite stop {
    name regex (.*)\\.in\\.example\\.org {1}.hosts.example.org
    answer name (.*)\\.hosts\\.example\\.org {1}.in.example.org
  }
  rewrite name exact old.example.org new.hosts.example.org
  rewrite name suffix .sfx.example.org .hosts.example.org answer auto
  rewrite continue ttl exact short.hosts.example.org 7
  rewrite type ANY HINFO
  template IN A tmpl.example.org {
    match ^ip-(?P<a>[0-9]+)-([0-9]+)\\.tmpl\\.example\\.org\\.$
    answer "{{ .Name }} 60 IN A 10.0.{{ .Group.a }}.{{ index .Match 2 }}"
    additional "extra.{{ .Zone }} 60 IN TXT \\"{{ .Type }} {{ .Class }}\\""
    fallthrough
  }
  template IN ANY nx.example.org {
    rcode NXDOMAIN
    authority "{{ .Zone }} 60 {{ .Class }} SOA ns.{{ .Zone }} mail.{{ .Zone }} (1 60 60 60 60)"
  }
  template IN MX strict.example.org {
    match ^never$
    answer "{{ .Name }} 60 IN MX 10 mail.example.org."
  }
  hosts {
    10.1.1.1 new.hosts.example.org www.hosts.example.org
    10.1.1.2 www.hosts.example.org
    fd00::1 six.hosts.example.org
    10.1.1.3 short.hosts.example.org
    10.1.1.4 elsewhere.example.com
    10.1.1.5 *.wild.example.org
    ttl 120
    fallthrough up.example.org
  }
  forward . 127.0.0.1:UPSTREAM
}
10.in-addr.arpa:PORT {
  hosts {
    10.1.1.1 host.10.in-addr.arpa
  }
}
`,
    queries: [
      ...each(
        [
          'www.hosts.example.org.',
          'six.hosts.example.org.',
          'short.hosts.example.org.',
          'www.in.example.org.',
          'WWW.in.example.org.',
          'old.example.org.',
          'www.sfx.example.org.',
          'one.wild.example.org.',
          'nothing.hosts.example.org.',
          'ip-1-2.tmpl.example.org.',
          'ip-x.tmpl.example.org.',
          'anything.nx.example.org.',
          'x.strict.example.org.',
          'x.up.example.org.',
          'elsewhere.example.com.',
        ],
        ['A', 'AAAA', 'MX'],
      ),
      ...each([reverse4('10.1.1.1'), reverse4('10.1.1.9')], ['PTR', 'A']),
    ],
  },
  {
    title: 'stub domains, and blocks that share a port',
    corefile: `
(forwarding) {
  forward . 127.0.0.1:UPSTREAM {
    except blocked.example.org
    policy sequential
  }
}
example.org:PORT {
  import forwarding
}
sub.example.org:PORT, other.example.org:PORT {
  template ANY ANY {
    answer "{{ .Name }} 5 IN TXT block"
  }
}
`,
    queries: [
      ...each(
        [
          'www.example.org.',
          'x.blocked.example.org.',
          'x.sub.example.org.',
          'sub.example.org.',
          'other.example.org.',
          'example.com.',
        ],
        ['A', 'TXT', 'DS'],
      ),
    ],
  },
];
