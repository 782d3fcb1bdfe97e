import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const service = (name: string, spec: object, metadata: object = {}): Base => ({
  object: { apiVersion: 'v1', kind: 'Service', metadata: { name, ...metadata }, spec },
});

const create = (changes: Record<string, unknown>, base = 'service'): Case => ({ create: base, change: edit(changes) });
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const port = { port: 80, protocol: 'TCP', targetPort: 80 };
const loadBalancer = { 'spec.type': 'LoadBalancer', 'spec.allocateLoadBalancerNodePorts': false };
const hints = 'service.kubernetes.io/topology-aware-hints';
const mode = 'service.kubernetes.io/topology-mode';
const ranges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

export const suite: CaseSuite = {
  bases: {
    service: service('web', { clusterIP: '10.96.77.200', ports: [{ port: 80 }], selector: { app: 'web' } }),
    nodePort: service('node-port', {
      clusterIP: '10.96.77.201',
      type: 'NodePort',
      ports: [{ port: 80, nodePort: 30201 }],
    }),
    loadBalancer: {
      ...service('balanced', {
        clusterIP: '10.96.77.202',
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30203,
        loadBalancerClass: 'example.com/class',
        externalIPs: ['192.0.2.1'],
        ports: [
          { name: 'web', port: 80, nodePort: 30202 },
          { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns', nodePort: 30204 },
        ],
      }),
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }, { hostname: 'lb.example.com' }, { ip: '192.0.2.8' }] } },
    },
    external: service('external', { type: 'ExternalName', externalName: 'example.com' }),
    headless: service('headless', { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80 }] }),
    selectorless: service('selectorless', { clusterIP: 'None' }),
    plain: service('plain', {
      clusterIP: '10.96.77.205',
      ports: [{ port: 80, name: 'web' }],
      externalIPs: ['192.0.2.2'],
    }),
    dual: service('dual', {
      clusterIP: '10.96.77.207',
      clusterIPs: ['10.96.77.207', 'fd00:10:96::78'],
      ipFamilyPolicy: 'RequireDualStack',
      ports: [{ port: 80 }],
    }),
    preferred: service('preferred', {
      clusterIP: '10.96.77.208',
      clusterIPs: ['10.96.77.208', 'fd00:10:96::79'],
      ipFamilyPolicy: 'PreferDualStack',
      ports: [{ port: 80 }],
    }),
    annotated: service(
      'annotated',
      { clusterIP: '10.96.77.206', ports: [{ port: 80 }], type: 'LoadBalancer', allocateLoadBalancerNodePorts: false },
      { annotations: { [ranges]: ' 192.0.2.0/24 , 198.51.100.0/24' } },
    ),
  },
  cases: {
    'a service gets its defaults': create({}),
    'a named target port stays': create({ 'spec.ports': [{ port: 80, targetPort: 'web' }] }),
    'an empty target port is the port': create({ 'spec.ports': [{ port: 80, targetPort: '' }] }),
    'client affinity gets a timeout': create({ 'spec.sessionAffinity': 'ClientIP' }),
    'client affinity keeps its timeout': create({
      'spec.sessionAffinity': 'ClientIP',
      'spec.sessionAffinityConfig': { clientIP: { timeoutSeconds: 5 } },
    }),
    'the configuration of no affinity is dropped': create({
      'spec.sessionAffinityConfig': { clientIP: { timeoutSeconds: 5 } },
    }),
    'a timeout has limits': create({
      'spec.sessionAffinity': 'ClientIP',
      'spec.sessionAffinityConfig': { clientIP: { timeoutSeconds: 86401 } },
    }),
    'a timeout is positive': create({
      'spec.sessionAffinity': 'ClientIP',
      'spec.sessionAffinityConfig': { clientIP: { timeoutSeconds: 0 } },
    }),
    'an unknown affinity is refused': create({ 'spec.sessionAffinity': 'Sticky' }),
    'a node port service gets its policies': create({
      'spec.type': 'NodePort',
      'spec.ports': [{ port: 80, nodePort: 30210 }],
    }),
    'a load balancer gets its policies': create({
      'spec.type': 'LoadBalancer',
      'spec.ports': [{ port: 80, nodePort: 30210 }],
    }),
    'external addresses make a service externally accessible': create({ 'spec.externalIPs': ['192.0.2.7'] }),
    'the status of a new service is cleared': create({
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
      ...loadBalancer,
    }),
    'a name is a DNS label': create({ 'metadata.name': 'Web.x' }),
    'a name may start with a digit': create({ 'metadata.name': '0web' }),
    'ports are required': create({ 'spec.ports': [] }),
    'an unknown type is refused': create({ 'spec.type': 'Magic' }),
    'several ports need names that are different': create({
      'spec.ports': [{ port: 80 }, { name: 'a', port: 81 }, { name: 'a', port: 82 }, { name: 'Bad_Name', port: 83 }],
    }),
    'each part of a port is judged': create({
      'spec.ports': [
        { name: 'a', port: 0, protocol: 'ICMP', targetPort: 70000, appProtocol: 'x y' },
        { name: 'b', port: 65536, targetPort: 'bad--name-that-is-long' },
        { name: 'c', port: 82, targetPort: '12' },
        { name: 'd', port: 83, appProtocol: 'kubernetes.io/h2c' },
      ],
    }),
    'ports are unique by protocol': create({
      'spec.ports': [
        { name: 'a', port: 80 },
        { name: 'b', port: 80, protocol: 'UDP' },
        { name: 'c', port: 80 },
      ],
    }),
    'a service inside the cluster has no node ports': create({ 'spec.ports': [{ port: 80, nodePort: 30211 }] }),
    'node ports are unique by protocol': create({
      'spec.type': 'NodePort',
      'spec.ports': [
        { name: 'a', port: 80, nodePort: 30212 },
        { name: 'b', port: 80, protocol: 'UDP', nodePort: 30212 },
        { name: 'c', port: 81, nodePort: 30213 },
      ],
    }),
    'a selector is made of labels': create({ 'spec.selector': { 'bad key': '-' } }),
    'a headless service has no address': create({ 'spec.clusterIP': 'None' }),
    'a headless service without a selector takes both families': create({
      'spec.clusterIP': 'None',
      'spec.selector': undefined,
    }),
    'a headless service without a selector may have one family': create({
      'spec.clusterIP': 'None',
      'spec.selector': undefined,
      'spec.ipFamilyPolicy': 'SingleStack',
    }),
    'a headless service without a selector may have the other family': create({
      'spec.clusterIP': 'None',
      'spec.selector': undefined,
      'spec.ipFamilies': ['IPv6'],
    }),
    'a headless service needs no ports': create({ 'spec.clusterIP': 'None', 'spec.ports': undefined }),
    'a headless service cannot be a load balancer': create({ 'spec.clusterIP': 'None', ...loadBalancer }),
    'a headless service cannot have node ports': create({
      'spec.clusterIP': 'None',
      'spec.type': 'NodePort',
      'spec.ports': [{ port: 80, nodePort: 30214 }],
    }),
    'a headless service warns of what it ignores': create({
      'spec.clusterIP': 'None',
      'spec.loadBalancerIP': '192.0.2.3',
      'spec.externalIPs': ['192.0.2.4'],
      'spec.sessionAffinity': 'ClientIP',
    }),
    'both addresses must match': create({ 'spec.clusterIPs': ['10.96.77.220'] }),
    'clusterIPs alone is not enough': create({ 'spec.clusterIP': undefined, 'spec.clusterIPs': ['10.96.77.220'] }),
    'an address must be one': create({ 'spec.clusterIP': 'everywhere' }),
    'an address has no leading zeros': create({ 'spec.clusterIP': '10.96.77.020' }),
    'None stands alone': create({ 'spec.clusterIP': 'None', 'spec.clusterIPs': ['None', '10.96.77.1'] }),
    'there are two addresses at most': create({
      'spec.clusterIPs': ['10.96.77.200', 'fd00:10:96::77', '10.96.77.221'],
    }),
    'two addresses are of different families': create({ 'spec.clusterIPs': ['10.96.77.200', '10.96.77.221'] }),
    'a family must be the address family': create({ 'spec.ipFamilies': ['IPv6'] }),
    'an IPv6 address is not of the IPv4 family': create({
      'spec.clusterIP': 'fd00:10:96::77',
      'spec.ipFamilies': ['IPv4'],
    }),
    'families are known and different': create({ 'spec.ipFamilies': ['IPv4', 'IPv4', 'IPX'] }),
    'a policy is known': create({ 'spec.ipFamilyPolicy': 'Whatever' }),
    'a family follows from the address': create({ 'spec.clusterIP': 'fd00:10:96::77' }),
    'two addresses need a policy': create({ 'spec.clusterIPs': ['10.96.77.200', 'fd00:10:96::77'] }),
    'two families need a policy': create({ 'spec.ipFamilies': ['IPv4', 'IPv6'] }),
    'two addresses may be preferred': create({
      'spec.clusterIPs': ['10.96.77.200', 'fd00:10:96::77'],
      'spec.ipFamilyPolicy': 'PreferDualStack',
    }),
    'two addresses may be required': create({
      'spec.clusterIPs': ['10.96.77.200', 'fd00:10:96::77'],
      'spec.ipFamilyPolicy': 'RequireDualStack',
    }),
    'external addresses are judged': create({
      'spec.externalIPs': [
        'here',
        '0.0.0.0',
        '127.0.0.1',
        '169.254.1.1',
        '224.0.0.1',
        '010.1.1.1',
        '::1',
        'fe80::1',
        'ff02::1',
        '::',
        '192.0.2.1',
      ],
    }),
    'odd external addresses cause warnings': create({ 'spec.externalIPs': ['2001:DB8::1'] }),
    'source ranges are networks': create({
      ...loadBalancer,
      'spec.loadBalancerSourceRanges': [
        ' 192.0.2.0/24 ',
        'everywhere',
        '192.0.2.1/24',
        '010.96.77.0/8',
        '2001:DB8::/32',
      ],
    }),
    'source ranges cause warnings': create({
      ...loadBalancer,
      'spec.loadBalancerSourceRanges': ['2001:DB8::/32'],
      'spec.loadBalancerIP': '2001:DB8::1',
    }),
    'source ranges are for load balancers': create({ 'spec.loadBalancerSourceRanges': ['192.0.2.0/24'] }),
    'source ranges in an annotation are networks': create({
      ...loadBalancer,
      [`metadata.annotations[${ranges}]`]: '192.0.2.0/24, everywhere',
    }),
    'source ranges in an annotation are for load balancers': create({
      [`metadata.annotations[${ranges}]`]: '192.0.2.0/24',
    }),
    'an empty annotation of source ranges is nothing': create({
      ...loadBalancer,
      [`metadata.annotations[${ranges}]`]: ' ',
    }),
    'fields of load balancers are for load balancers': create({
      'spec.allocateLoadBalancerNodePorts': true,
      'spec.loadBalancerClass': 'example.com/x',
      'spec.healthCheckNodePort': 30215,
      'spec.externalTrafficPolicy': 'Local',
    }),
    'a class is a qualified name': create({ ...loadBalancer, 'spec.loadBalancerClass': 'Not A Class' }),
    'policies are known': create({
      ...loadBalancer,
      'spec.externalTrafficPolicy': 'Anywhere',
      'spec.internalTrafficPolicy': 'Anywhere',
      'spec.trafficDistribution': 'Fair',
    }),
    'a local load balancer has a health check': create({
      ...loadBalancer,
      'spec.externalTrafficPolicy': 'Local',
      'spec.healthCheckNodePort': 30215,
    }),
    'PreferClose is deprecated': create({ 'spec.trafficDistribution': 'PreferClose' }),
    'PreferSameNode is known': create({ 'spec.trafficDistribution': 'PreferSameNode' }),
    'topology annotations must match': create({
      [`metadata.annotations[${hints}]`]: 'Auto',
      [`metadata.annotations[${mode}]`]: 'Disabled',
    }),
    'topology hints are deprecated': create({ [`metadata.annotations[${hints}]`]: 'Auto' }),
    'an external name has no address': create({}, 'external'),
    'an external name may end in a dot': create({ 'spec.externalName': 'example.com.' }, 'external'),
    'an external name is required': create({ 'spec.externalName': undefined }, 'external'),
    'an external name is a domain': create({ 'spec.externalName': 'Example_.com' }, 'external'),
    'an external name has none of the fields of addresses': create(
      {
        'spec.clusterIP': '10.96.77.222',
        'spec.ipFamilies': ['IPv4'],
        'spec.ipFamilyPolicy': 'SingleStack',
        'spec.externalIPs': ['192.0.2.1'],
      },
      'external',
    ),
    'an external name ignores external addresses': create({ 'spec.externalIPs': ['192.0.2.1'] }, 'external'),
    'an internal policy of an external name is not shown': create(
      { 'spec.internalTrafficPolicy': 'Local' },
      'external',
    ),
    'an external name of another type is ignored': create({ 'spec.externalName': 'example.com' }),

    'labels can be changed': update('service', { 'metadata.labels': { a: 'b' } }),
    'what was allocated need not be sent again': update('service', {
      'spec.clusterIP': undefined,
      'spec.clusterIPs': undefined,
      'spec.ipFamilies': undefined,
      'spec.ipFamilyPolicy': undefined,
    }),
    'node ports need not be sent again': update('loadBalancer', {
      'spec.ports.0.nodePort': undefined,
      'spec.ports.1.nodePort': undefined,
      'spec.healthCheckNodePort': undefined,
    }),
    'an address cannot be changed': update('service', { 'spec.clusterIP': '10.96.77.230' }),
    'addresses cannot be changed': update('service', {
      'spec.clusterIP': '10.96.77.230',
      'spec.clusterIPs': ['10.96.77.230'],
    }),
    'a service with an address cannot become headless': update('service', { 'spec.clusterIP': 'None' }),
    'a headless service cannot get an address': update('headless', { 'spec.clusterIP': '10.96.77.230' }),
    'a headless service may change its families': update('selectorless', {
      'spec.ipFamilies': ['IPv6'],
      'spec.ipFamilyPolicy': 'SingleStack',
    }),
    'a family cannot be changed': update('service', { 'spec.ipFamilies': ['IPv6'] }),
    'a second address needs a policy': update('service', {
      'spec.clusterIPs': ['10.96.77.200', 'fd00:10:96::77'],
    }),
    'a secondary family is released by policy alone': update('selectorless', { 'spec.ipFamilyPolicy': 'SingleStack' }),
    'a secondary family is not released without a policy': update('selectorless', { 'spec.ipFamilies': ['IPv4'] }),
    'a second address can be added': update('service', {
      'spec.clusterIPs': ['10.96.77.200', 'fd00:10:96::80'],
      'spec.ipFamilyPolicy': 'PreferDualStack',
    }),
    'a second address is given up by policy alone': update('dual', { 'spec.ipFamilyPolicy': 'SingleStack' }),
    'a second address is not given up without a policy': update('dual', { 'spec.clusterIPs': ['10.96.77.207'] }),
    'a second family is not given up without a policy': update('dual', { 'spec.ipFamilies': ['IPv4'] }),
    'a second address is given up with its policy': update('dual', {
      'spec.clusterIPs': ['10.96.77.207'],
      'spec.ipFamilies': ['IPv4'],
      'spec.ipFamilyPolicy': 'SingleStack',
    }),
    'a second address cannot be changed': update('dual', { 'spec.clusterIPs': ['10.96.77.207', 'fd00:10:96::81'] }),
    'addresses cannot change places': update('dual', {
      'spec.clusterIP': 'fd00:10:96::78',
      'spec.clusterIPs': ['fd00:10:96::78', '10.96.77.207'],
      'spec.ipFamilies': ['IPv6', 'IPv4'],
    }),
    'the first address cannot be given up': update('dual', {
      'spec.clusterIP': 'fd00:10:96::78',
      'spec.clusterIPs': ['fd00:10:96::78'],
      'spec.ipFamilies': ['IPv6'],
      'spec.ipFamilyPolicy': 'SingleStack',
    }),
    'two addresses become headless by no means': update('dual', {
      'spec.clusterIP': 'None',
      'spec.clusterIPs': ['None'],
      'spec.ipFamilyPolicy': 'SingleStack',
    }),
    'what is preferred stays': update('preferred', { 'metadata.labels': { a: 'b' } }),
    'what is preferred can be required': update('preferred', { 'spec.ipFamilyPolicy': 'RequireDualStack' }),
    'a dual-stack service can become an external name': update('dual', {
      'spec.type': 'ExternalName',
      'spec.externalName': 'example.com',
    }),
    'a service can become an external name': update('service', {
      'spec.type': 'ExternalName',
      'spec.externalName': 'example.com',
    }),
    'an address of an external name is not dropped when it changes': update('service', {
      'spec.type': 'ExternalName',
      'spec.externalName': 'example.com',
      'spec.clusterIP': '10.96.77.231',
      'spec.ipFamilyPolicy': 'PreferDualStack',
    }),
    'an external name can become a service': update('external', {
      'spec.type': 'ClusterIP',
      'spec.externalName': undefined,
      'spec.clusterIP': '10.96.77.232',
      'spec.ports': [port],
    }),
    'a node port is dropped with its type': update('nodePort', { 'spec.type': 'ClusterIP' }),
    'a node port that changes is not dropped': update('nodePort', {
      'spec.type': 'ClusterIP',
      'spec.ports.0.nodePort': 30240,
    }),
    'what load balancers have is dropped with them': update('loadBalancer', {
      'spec.type': 'ClusterIP',
      'spec.externalIPs': undefined,
    }),
    'what load balancers have stays where it means something': update('loadBalancer', { 'spec.type': 'NodePort' }),
    'what load balancers have is refused when it changes': update('loadBalancer', {
      'spec.type': 'ClusterIP',
      'spec.externalIPs': undefined,
      'spec.healthCheckNodePort': 30241,
      'spec.allocateLoadBalancerNodePorts': false,
      'spec.loadBalancerClass': 'example.com/other',
      'spec.externalTrafficPolicy': 'Cluster',
    }),
    'a health check is dropped with its policy': update('loadBalancer', { 'spec.externalTrafficPolicy': 'Cluster' }),
    'a health check cannot be moved': update('loadBalancer', { 'spec.healthCheckNodePort': 30242 }),
    'a class cannot be changed': update('loadBalancer', { 'spec.loadBalancerClass': 'example.com/other' }),
    'a class cannot be removed': update('loadBalancer', { 'spec.loadBalancerClass': undefined }),
    'a policy is dropped with external addresses': update('plain', { 'spec.externalIPs': undefined }),
    'an annotation that stays is not judged again': update('annotated', { 'metadata.labels': { a: 'b' } }),
    'status is not changed by the service': update('loadBalancer', { status: { loadBalancer: {} } }),
    'status can be changed': {
      update: 'loadBalancer',
      subresource: 'status',
      change: edit({ 'status.loadBalancer.ingress': [{ ip: '192.0.2.77' }], 'spec.type': 'ClusterIP' }),
    },
    'the status of a load balancer is judged': {
      update: 'loadBalancer',
      subresource: 'status',
      change: edit({
        'status.loadBalancer.ingress': [
          { ip: 'here' },
          { ip: '192.0.2.77', ipMode: 'Magic' },
          { hostname: 'x.example.com', ipMode: 'VIP' },
          { hostname: 'Bad_Name' },
          { hostname: '192.0.2.1' },
          { ip: '010.96.77.1', ipMode: 'Proxy' },
        ],
      }),
    },
    'odd addresses in a status cause warnings': {
      update: 'loadBalancer',
      subresource: 'status',
      change: edit({ 'status.loadBalancer.ingress': [{ ip: '2001:DB8::1' }] }),
    },
    'only load balancers have ingress points': {
      update: 'plain',
      subresource: 'status',
      change: edit({ 'status.loadBalancer.ingress': [{ ip: '192.0.2.77', ipMode: 'VIP' }] }),
    },
    'labels are judged': update('service', { 'metadata.labels': { a: '-' } }),
    'a service is printed': { table: 'service' },
    'a load balancer is printed': { table: 'loadBalancer' },
    'a node port service is printed': { table: 'nodePort' },
    'an external name is printed': { table: 'external' },
    'a headless service is printed': { table: 'selectorless' },
    'a dual-stack service is printed': { table: 'dual' },
  },
};
