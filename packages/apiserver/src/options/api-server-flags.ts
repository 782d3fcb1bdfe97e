import {
  boolean,
  type Completed,
  duration,
  flag,
  type Given,
  integer,
  ip,
  list,
  mapping,
  namedCertificates,
  pair,
  string,
  stringArray,
  strings,
} from '@coxswain/component-base';
import { loggingFlags } from '@coxswain/component-base/logs';

/** Flags that upstream has not. */
const ownFlags = {
  'data-dir': flag(
    string,
    'Directory of everything that outlives the server: the store (DIR/store), certificates (DIR/pki), the admin kubeconfig. Default: coxswain/apiserver in $XDG_DATA_HOME, or else in ~/.local/share',
  ),
  memory: flag(boolean, 'Keep all objects in memory: they are gone when the server stops', false),
  'kubeconfig-out': flag(
    string,
    'Where the kubeconfig of the first administrator is written; empty: nowhere. Default: admin.kubeconfig in --data-dir, or in --cert-dir if that is given',
  ),
};

const storageFlags = {
  'etcd-servers': flag(strings, 'Keep objects in this etcd, scheme://host:port, instead of --data-dir'),
  'encryption-provider-config': flag(string, 'Which resources are stored encrypted, and how. Default: none'),
  'etcd-prefix': flag(string, 'What the keys of all objects begin with', '/registry'),
  'etcd-cafile': flag(string, "Authorities that etcd's certificate may be signed by"),
  'etcd-certfile': flag(string, 'Client certificate that etcd is shown'),
  'etcd-keyfile': flag(string, 'Its key'),
  'etcd-compaction-interval': flag(
    duration,
    'How often history is forgotten, in every kind of store: the last interval is kept. 0: never',
    '5m0s',
  ),
  'event-ttl': flag(duration, 'How long events are kept', '1h0m0s'),
};

const servingFlags = {
  'bind-address': flag(ip, 'Address to listen on; 0.0.0.0 and :: are all addresses of both families', '0.0.0.0'),
  'secure-port': flag(integer, 'Port to listen on. Differs from upstream: 0 takes a free one', 6443),
  'advertise-address': flag(
    ip,
    'Where the rest of the cluster reaches this server. Default: --bind-address, or the first address of this machine when that is unspecified or a loopback address. With a loopback address the endpoints of the service kubernetes are left alone',
  ),
  'external-hostname': flag(string, 'Host that URLs in answers name. Default: --advertise-address'),
  'cert-dir': flag(string, 'Directory of certificates; what is missing there is made. Default: pki in --data-dir'),
  'tls-cert-file': flag(string, 'Certificate to serve with, followed by those that signed it, instead of our own'),
  'tls-private-key-file': flag(string, 'Its key'),
  'tls-sni-cert-key': flag(
    namedCertificates,
    'CERT,KEY[:NAME,NAME...]: another certificate for clients that ask for these host names; may be repeated',
    [],
  ),
  'tls-min-version': flag(string, 'VersionTLS12 or VersionTLS13', 'VersionTLS12'),
  'tls-cipher-suites': flag(
    strings,
    'Cipher suites for TLS 1.2, by their IANA names. Default: AES-GCM and ChaCha20 with ECDHE',
    [],
  ),
  'http2-max-streams-per-connection': flag(integer, 'Requests at a time on one HTTP/2 connection. 0: 250', 0),
  'cors-allowed-origins': flag(
    strings,
    'Origins whose pages may use the API in a browser: regular expressions that match a whole host, such as //example\\.com(:|$)',
    [],
  ),
  'disable-http2-serving': flag(boolean, 'Serve HTTP/1.1 only', false),
};

const authenticationFlags = {
  'client-ca-file': flag(
    string,
    'Authorities that sign client certificates (the common name is the user, organizations are groups). Default: our own',
  ),
  'token-auth-file': flag(string, 'File of bearer tokens: lines of token,user,uid,"group1,group2"'),
  'authentication-config': flag(
    string,
    'Whose JSON Web Tokens are accepted, and who may come without credentials: a file of kind AuthenticationConfiguration, read again when it changes',
  ),
  'oidc-issuer-url': flag(string, 'An OpenID Connect issuer whose tokens are accepted; an https URL'),
  'oidc-client-id': flag(string, 'The audience that its tokens must be for'),
  'oidc-ca-file': flag(string, 'Authorities that its certificate may be signed by. Default: those of the system'),
  'oidc-username-claim': flag(string, 'The claim that is the name of the user. Default: sub'),
  'oidc-username-prefix': flag(
    string,
    'What names of users begin with; -: nothing. Default: the issuer and a #, but nothing for the claim email',
  ),
  'oidc-groups-claim': flag(string, 'The claim that has the groups of the user. Default: none'),
  'oidc-groups-prefix': flag(string, 'What names of groups begin with'),
  'oidc-signing-algs': flag(
    strings,
    'What tokens may be signed with: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512. Default: RS256',
  ),
  'oidc-required-claim': flag(pair, 'KEY=VALUE: a claim that tokens must have; may be repeated'),
  'authentication-token-webhook-config-file': flag(
    string,
    'A kubeconfig that names the server to ask for the bearers of tokens',
  ),
  'authentication-token-webhook-version': flag(string, 'Version of the TokenReview that it is asked with', 'v1beta1'),
  'authentication-token-webhook-cache-ttl': flag(duration, 'How long its answers are remembered', '2m0s'),
  'enable-bootstrap-token-auth': flag(boolean, 'Accept bootstrap tokens, which are secrets in kube-system', false),
  'anonymous-auth': flag(
    boolean,
    'Who shows no credentials is system:anonymous, rather than refused. Default: true, unless --authentication-config says otherwise',
  ),
  'requestheader-client-ca-file': flag(string, 'Authorities of front proxies, which say in headers who asks'),
  'requestheader-allowed-names': flag(strings, 'Common names that front proxies may have. Default: any', []),
  'requestheader-username-headers': flag(strings, 'Headers that name the user; X-Remote-User is usual', []),
  'requestheader-uid-headers': flag(strings, 'Headers with the uid of the user; X-Remote-Uid is usual', []),
  'requestheader-group-headers': flag(strings, 'Headers that name groups; X-Remote-Group is usual', []),
  'requestheader-extra-headers-prefix': flag(strings, 'What headers with more begin with: X-Remote-Extra-', []),
};

const serviceAccountFlags = {
  'service-account-issuer': flag(
    stringArray,
    'Who issues tokens of service accounts; the first signs, all are accepted. Differs from upstream: it has a default',
    ['https://kubernetes.default.svc'],
  ),
  'service-account-key-file': flag(
    stringArray,
    'Keys that such tokens may be signed with, private or public; may be repeated. Default: sa.key in the directory of certificates',
    [],
  ),
  'service-account-signing-key-file': flag(string, 'The key that signs them. Default: sa.key as well'),
  'service-account-max-token-expiration': flag(duration, 'The longest time that such a token may be good for', '0s'),
  'service-account-extend-token-expiration': flag(
    boolean,
    'Tokens that pods get are good for a year, while they are renewed every hour',
    true,
  ),
  'service-account-lookup': flag(boolean, 'A token is good only as long as what it is for exists', true),
  'service-account-jwks-uri': flag(string, 'URL of the public keys in the OpenID discovery document'),
  'api-audiences': flag(strings, 'Audiences that tokens must be for. Default: the issuers', []),
};

const authorizationFlags = {
  'authorization-mode': flag(
    strings,
    'Who is asked, in order: AlwaysAllow, AlwaysDeny, Node, RBAC, Webhook. Default: Node,RBAC; differs from upstream, which allows everything by default',
  ),
  'authorization-config': flag(
    string,
    'Who is asked, in order: a file of kind AuthorizationConfiguration, read again when it changes. Takes the place of the other flags of authorization',
  ),
  'authorization-webhook-config-file': flag(
    string,
    'A kubeconfig that names the server to ask, for --authorization-mode=Webhook',
  ),
  'authorization-webhook-version': flag(
    string,
    'Version of the SubjectAccessReview that it is asked with. Default: v1beta1',
  ),
  'authorization-webhook-cache-authorized-ttl': flag(
    duration,
    'How long it is remembered that it allows something. Default: 5m0s',
  ),
  'authorization-webhook-cache-unauthorized-ttl': flag(
    duration,
    'How long it is remembered that it does not. Default: 30s',
  ),
};

const apiFlags = {
  'runtime-config': flag(mapping, 'Versions and resources to switch: batch/v1beta1=true, api/alpha=true', new Map()),
  'feature-gates': flag(stringArray, 'Features to switch: Name=true,Other=false', []),
  'enable-admission-plugins': flag(
    strings,
    'Admission plug-ins besides those that are on by default, and NodeRestriction, which is on with the authorizer Node',
    [],
  ),
  'disable-admission-plugins': flag(strings, 'Admission plug-ins that are on by default and should not be', []),
  'admission-control-config-file': flag(
    string,
    'What admission plug-ins are told: a file of kind AdmissionConfiguration',
  ),
  'default-not-ready-toleration-seconds': flag(
    integer,
    'For so long a pod that does not say stays on a node that is not ready, if DefaultTolerationSeconds is on',
    300,
  ),
  'default-unreachable-toleration-seconds': flag(integer, 'The same for a node that cannot be reached', 300),
  profiling: flag(boolean, 'Serve profiles of this process under /debug/pprof/', true),
  'allow-privileged': flag(boolean, 'Containers may be privileged', false),
};

const networkFlags = {
  'service-cluster-ip-range': flag(
    list,
    'Addresses of services, one range or one of each family. Differs from upstream, whose default is 10.0.0.0/24',
    ['10.96.0.0/16'],
  ),
  'service-node-port-range': flag(string, 'Ports for services of type NodePort', '30000-32767'),
  'kubernetes-service-node-port': flag(integer, 'Node port of the service kubernetes. 0: none', 0),
  'endpoint-reconciler-type': flag(
    string,
    'lease: keep the endpoints of the service kubernetes; none: leave them alone',
    'lease',
  ),
  'proxy-client-cert-file': flag(
    string,
    'Certificate that API servers behind this one are shown. Default: one of our own',
  ),
  'proxy-client-key-file': flag(string, 'Its key'),
  'enable-aggregator-routing': flag(boolean, 'Reach them, and webhooks, at the endpoints of their services', false),
  'kubelet-client-certificate': flag(string, 'Certificate that kubelets are shown. Default: one of our own'),
  'kubelet-client-key': flag(string, 'Its key'),
  'kubelet-certificate-authority': flag(
    string,
    'Authorities of kubelets. Default: kubelets need not prove who they are',
  ),
  'kubelet-preferred-address-types': flag(strings, 'Which addresses of a node to use first', [
    'Hostname',
    'InternalDNS',
    'InternalIP',
    'ExternalDNS',
    'ExternalIP',
  ]),
};

const limitFlags = {
  'max-requests-inflight': flag(integer, 'Reads that are answered at a time; more get a 429. 0: no limit', 400),
  'max-mutating-requests-inflight': flag(integer, 'The same for writes', 200),
  'enable-priority-and-fairness': flag(
    boolean,
    'Share the two together among flows of requests by FlowSchema and PriorityLevelConfiguration, instead of limiting each',
    true,
  ),
  'request-timeout': flag(duration, 'How long a request may take that is no watch, log or stream', '1m0s'),
  'min-request-timeout': flag(integer, 'Seconds that a watch lasts at least, unless its client says otherwise', 1800),
  'shutdown-delay-duration': flag(duration, 'How long to go on serving, no longer ready, before stopping', '0s'),
};

const auditFlags = {
  'audit-policy-file': flag(string, 'What to write into the audit log. Default: nothing'),
  'audit-log-path': flag(string, 'File of the audit log; - is standard output'),
  'audit-log-format': flag(string, 'json or legacy', 'json'),
  'audit-log-version': flag(string, 'Version of the events', 'audit.k8s.io/v1'),
  'audit-log-mode': flag(
    string,
    'blocking: requests wait until they are written down; blocking-strict: and fail if they cannot be; batch: they do not wait',
    'blocking',
  ),
  'audit-log-maxsize': flag(integer, 'Megabytes after which a new file is begun. 0: never', 100),
  'audit-log-maxage': flag(integer, 'Days that old files are kept. 0: for ever', 366),
  'audit-log-maxbackup': flag(integer, 'How many old files are kept. 0: all', 100),
  'audit-log-compress': flag(boolean, 'Compress old files with gzip', false),
  'audit-log-batch-buffer-size': flag(integer, 'Events that may wait to be written; more are dropped', 10_000),
  'audit-log-batch-max-size': flag(integer, 'In batch mode: events after which they are written', 1),
  'audit-log-batch-max-wait': flag(duration, 'In batch mode: how long to wait for so many', '0s'),
  'audit-log-truncate-enabled': flag(boolean, 'Leave bodies out of events that are too large', false),
  'audit-log-truncate-max-event-size': flag(integer, 'Bytes above which an event is', 102_400),
  'audit-log-truncate-max-batch-size': flag(integer, 'Makes no difference to a file; not less than that', 10_485_760),
  'audit-webhook-config-file': flag(string, 'A kubeconfig that names the server to send audit events to'),
  'audit-webhook-version': flag(string, 'Version of the events', 'audit.k8s.io/v1'),
  'audit-webhook-mode': flag(string, 'batch, blocking or blocking-strict', 'batch'),
  'audit-webhook-initial-backoff': flag(duration, 'How long to wait before sending again what failed', '10s'),
  'audit-webhook-batch-buffer-size': flag(integer, 'Events that may wait to be sent; more are dropped', 10_000),
  'audit-webhook-batch-max-size': flag(integer, 'Events that are sent at a time, at most', 400),
  'audit-webhook-batch-max-wait': flag(duration, 'In batch mode: how long to wait for so many', '30s'),
  'audit-webhook-truncate-enabled': flag(boolean, 'Leave bodies out of events that are too large', false),
  'audit-webhook-truncate-max-event-size': flag(integer, 'Bytes above which an event is', 102_400),
  'audit-webhook-truncate-max-batch-size': flag(integer, 'Bytes that are sent at a time, at most', 10_485_760),
};

/** All flags that are honoured, under the headings of `--help`. */
export const flagGroups = {
  Coxswain: ownFlags,
  Storage: storageFlags,
  Serving: servingFlags,
  Authentication: authenticationFlags,
  'Service accounts': serviceAccountFlags,
  Authorization: authorizationFlags,
  API: apiFlags,
  Network: networkFlags,
  Limits: limitFlags,
  Audit: auditFlags,
  Logs: loggingFlags,
} as const;

export const apiServerFlags = {
  ...ownFlags,
  ...storageFlags,
  ...servingFlags,
  ...authenticationFlags,
  ...serviceAccountFlags,
  ...authorizationFlags,
  ...apiFlags,
  ...networkFlags,
  ...limitFlags,
  ...auditFlags,
  ...loggingFlags,
};

/** What an API server is told: kube-apiserver's flags by their names in camel case, and some of our own. */
export type ApiServerOptions = Given<typeof apiServerFlags>;
export type CompletedOptions = Completed<typeof apiServerFlags>;
