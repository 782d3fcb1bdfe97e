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

/** Flags that upstream does not have. */
const ownFlags = {
  'data-dir': flag(
    string,
    'Directory for persistent data: the store (DIR/store), certificates (DIR/pki), the admin kubeconfig. Default: coxswain/apiserver in $XDG_DATA_HOME, or else in ~/.local/share',
  ),
  memory: flag(boolean, 'Keep all objects in memory: they are lost when the server stops', false),
  'kubeconfig-out': flag(
    string,
    'File for the kubeconfig of the first administrator; empty: none is written. Default: admin.kubeconfig in --data-dir, or in --cert-dir if that is given',
  ),
};

const storageFlags = {
  'etcd-servers': flag(strings, 'etcd servers to keep objects in, as scheme://host:port, instead of --data-dir'),
  'encryption-provider-config': flag(
    string,
    'File that configures encryption of stored resources. Default: no encryption',
  ),
  'etcd-prefix': flag(string, 'Prefix of the keys of all objects', '/registry'),
  'etcd-cafile': flag(string, "CA certificates for etcd's certificate"),
  'etcd-certfile': flag(string, 'Client certificate for etcd'),
  'etcd-keyfile': flag(string, 'Key of --etcd-certfile'),
  'etcd-compaction-interval': flag(
    duration,
    'Interval of compaction, in every kind of store. The history of the last interval is kept. 0: never',
    '5m0s',
  ),
  'event-ttl': flag(duration, 'How long events are kept', '1h0m0s'),
};

const servingFlags = {
  'bind-address': flag(ip, 'Address to listen on; 0.0.0.0 and :: are all addresses of both families', '0.0.0.0'),
  'secure-port': flag(integer, 'Port to listen on. Differs from upstream: 0 takes a free one', 6443),
  'advertise-address': flag(
    ip,
    'Address at which the cluster reaches this server. Default: --bind-address, or the first address of this machine when that is unspecified or a loopback address. With a loopback address the endpoints of the service kubernetes are not maintained',
  ),
  'external-hostname': flag(string, 'Host in URLs of responses. Default: --advertise-address'),
  'cert-dir': flag(string, 'Directory of certificates; missing ones are generated. Default: pki in --data-dir'),
  'tls-cert-file': flag(string, 'Serving certificate, followed by its CA certificates. Default: a generated one'),
  'tls-private-key-file': flag(string, 'Key of --tls-cert-file'),
  'tls-sni-cert-key': flag(
    namedCertificates,
    'CERT,KEY[:NAME,NAME...]: another serving certificate for these host names (SNI); may be repeated',
    [],
  ),
  'tls-min-version': flag(string, 'VersionTLS12 or VersionTLS13', 'VersionTLS12'),
  'tls-cipher-suites': flag(
    strings,
    'Cipher suites for TLS 1.2, by their IANA names. Default: AES-GCM and ChaCha20 with ECDHE',
    [],
  ),
  'http2-max-streams-per-connection': flag(integer, 'Maximum concurrent requests on one HTTP/2 connection. 0: 250', 0),
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
    'CA certificates for client certificates (the common name is the user, organizations are groups). Default: the generated CA',
  ),
  'token-auth-file': flag(string, 'File of bearer tokens: lines of token,user,uid,"group1,group2"'),
  'authentication-config': flag(
    string,
    'File of kind AuthenticationConfiguration, which configures JWT issuers and anonymous requests; reloaded when it changes',
  ),
  'oidc-issuer-url': flag(string, 'URL of an OpenID Connect issuer whose tokens are accepted (https)'),
  'oidc-client-id': flag(string, 'Audience that tokens of the OpenID Connect issuer must have'),
  'oidc-ca-file': flag(string, "CA certificates for the issuer's certificate. Default: those of the system"),
  'oidc-username-claim': flag(string, 'Claim with the user name. Default: sub'),
  'oidc-username-prefix': flag(
    string,
    'Prefix of user names; -: none. Default: the issuer URL and #, but none for the claim email',
  ),
  'oidc-groups-claim': flag(string, 'Claim with the groups of the user. Default: none'),
  'oidc-groups-prefix': flag(string, 'Prefix of group names'),
  'oidc-signing-algs': flag(
    strings,
    'Accepted signing algorithms: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512. Default: RS256',
  ),
  'oidc-required-claim': flag(pair, 'KEY=VALUE: a claim that tokens must contain; may be repeated'),
  'authentication-token-webhook-config-file': flag(string, 'Kubeconfig of the webhook that authenticates tokens'),
  'authentication-token-webhook-version': flag(
    string,
    'Version of the TokenReview that is sent to the token webhook',
    'v1beta1',
  ),
  'authentication-token-webhook-cache-ttl': flag(
    duration,
    'How long responses of the token webhook are cached',
    '2m0s',
  ),
  'enable-bootstrap-token-auth': flag(
    boolean,
    'Accept bootstrap tokens, which are stored as Secrets in kube-system',
    false,
  ),
  'anonymous-auth': flag(
    boolean,
    'Accept requests without credentials, as user system:anonymous. Default: true, unless --authentication-config says otherwise',
  ),
  'requestheader-client-ca-file': flag(
    string,
    'CA certificates of front proxies, which authenticate users and pass them in headers',
  ),
  'requestheader-allowed-names': flag(strings, 'Common names of the certificates of front proxies. Default: any', []),
  'requestheader-username-headers': flag(strings, 'Headers with the user name, usually X-Remote-User', []),
  'requestheader-uid-headers': flag(strings, 'Headers with the uid of the user, usually X-Remote-Uid', []),
  'requestheader-group-headers': flag(strings, 'Headers with the groups of the user, usually X-Remote-Group', []),
  'requestheader-extra-headers-prefix': flag(
    strings,
    'Prefixes of headers with extra information about the user, usually X-Remote-Extra-',
    [],
  ),
};

const serviceAccountFlags = {
  'service-account-issuer': flag(
    stringArray,
    'Issuers of service account tokens: the first one is used for new tokens, all are accepted. Differs from upstream: it has a default',
    ['https://kubernetes.default.svc'],
  ),
  'service-account-key-file': flag(
    stringArray,
    'Keys that verify service account tokens, private or public; may be repeated. Default: sa.key in the directory of certificates',
    [],
  ),
  'service-account-signing-key-file': flag(
    string,
    'Key that signs service account tokens. Default: sa.key in the directory of certificates',
  ),
  'service-account-max-token-expiration': flag(
    duration,
    'Maximum validity of service account tokens. 0: no maximum',
    '0s',
  ),
  'service-account-extend-token-expiration': flag(
    boolean,
    'Tokens of pods are valid for a year, although they are renewed every hour',
    true,
  ),
  'service-account-lookup': flag(
    boolean,
    'Service account tokens are valid only while their service account and secret exist',
    true,
  ),
  'service-account-jwks-uri': flag(string, 'URL of the public keys in the OpenID discovery document'),
  'api-audiences': flag(
    strings,
    'Audiences of the API server that tokens must have. Default: the service account issuers',
    [],
  ),
};

const authorizationFlags = {
  'authorization-mode': flag(
    strings,
    'Authorizers, in order: AlwaysAllow, AlwaysDeny, Node, RBAC, Webhook. Default: Node,RBAC; differs from upstream, which allows everything by default',
  ),
  'authorization-config': flag(
    string,
    'File of kind AuthorizationConfiguration, which lists authorizers in order; reloaded when it changes. Replaces the other authorization flags',
  ),
  'authorization-webhook-config-file': flag(string, 'Kubeconfig of the webhook, for --authorization-mode=Webhook'),
  'authorization-webhook-version': flag(
    string,
    'Version of the SubjectAccessReview that is sent to the authorization webhook. Default: v1beta1',
  ),
  'authorization-webhook-cache-authorized-ttl': flag(
    duration,
    'How long positive responses of the authorization webhook are cached. Default: 5m0s',
  ),
  'authorization-webhook-cache-unauthorized-ttl': flag(
    duration,
    'How long negative responses of the authorization webhook are cached. Default: 30s',
  ),
};

const apiFlags = {
  'runtime-config': flag(
    mapping,
    'API versions and resources to enable or disable: batch/v1beta1=true, api/alpha=true',
    new Map(),
  ),
  'feature-gates': flag(stringArray, 'Feature gates to enable or disable: Name=true,Other=false', []),
  'enable-admission-plugins': flag(
    strings,
    'Admission plug-ins to enable besides the default ones and NodeRestriction, which is enabled with the authorizer Node',
    [],
  ),
  'disable-admission-plugins': flag(strings, 'Default admission plug-ins to disable', []),
  'admission-control-config-file': flag(
    string,
    'File of kind AdmissionConfiguration, which configures admission plug-ins',
  ),
  'default-not-ready-toleration-seconds': flag(
    integer,
    'Default toleration of pods for nodes that are not ready, if DefaultTolerationSeconds is enabled',
    300,
  ),
  'default-unreachable-toleration-seconds': flag(
    integer,
    'Default toleration of pods for nodes that are unreachable, if DefaultTolerationSeconds is enabled',
    300,
  ),
  profiling: flag(boolean, 'Serve profiles of this process under /debug/pprof/', true),
  'allow-privileged': flag(boolean, 'Allow privileged containers', false),
};

const networkFlags = {
  'service-cluster-ip-range': flag(
    list,
    'Cluster IP ranges of services: one CIDR, or one of each IP family. Differs from upstream, whose default is 10.0.0.0/24',
    ['10.96.0.0/16'],
  ),
  'service-node-port-range': flag(string, 'Range of node ports of services', '30000-32767'),
  'kubernetes-service-node-port': flag(integer, 'Node port of the service kubernetes. 0: none', 0),
  'endpoint-reconciler-type': flag(
    string,
    'lease: maintain the endpoints of the service kubernetes; none: do not',
    'lease',
  ),
  'proxy-client-cert-file': flag(string, 'Client certificate for aggregated API servers. Default: a generated one'),
  'proxy-client-key-file': flag(string, 'Key of --proxy-client-cert-file'),
  'enable-aggregator-routing': flag(
    boolean,
    'Connect to aggregated API servers and webhooks at the endpoints of their services',
    false,
  ),
  'kubelet-client-certificate': flag(string, 'Client certificate for kubelets. Default: a generated one'),
  'kubelet-client-key': flag(string, 'Key of --kubelet-client-certificate'),
  'kubelet-certificate-authority': flag(
    string,
    'CA certificates of kubelets. Default: certificates of kubelets are not verified',
  ),
  'kubelet-preferred-address-types': flag(
    strings,
    'Types of node addresses to use for kubelets, in order of preference',
    ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
  ),
};

const limitFlags = {
  'max-requests-inflight': flag(integer, 'Maximum concurrent reads; more get a 429. 0: no limit', 400),
  'max-mutating-requests-inflight': flag(integer, 'Maximum concurrent writes; more get a 429. 0: no limit', 200),
  'enable-priority-and-fairness': flag(
    boolean,
    'Share the sum of the two limits among flows by FlowSchema and PriorityLevelConfiguration, instead of limiting reads and writes',
    true,
  ),
  'request-timeout': flag(duration, 'Maximum duration of requests other than watches, logs and streams', '1m0s'),
  'min-request-timeout': flag(
    integer,
    'Minimum duration of watches in seconds, unless the client requests another one',
    1800,
  ),
  'shutdown-delay-duration': flag(duration, 'How long to continue serving, while /readyz fails, before stopping', '0s'),
};

const auditFlags = {
  'audit-policy-file': flag(string, 'Audit policy, which selects the audited requests. Default: none are audited'),
  'audit-log-path': flag(string, 'File of the audit log; - is standard output'),
  'audit-log-format': flag(string, 'json or legacy', 'json'),
  'audit-log-version': flag(string, 'Version of the events', 'audit.k8s.io/v1'),
  'audit-log-mode': flag(
    string,
    'blocking: requests wait until their events are written; blocking-strict: and fail when that fails; batch: they do not wait',
    'blocking',
  ),
  'audit-log-maxsize': flag(integer, 'Megabytes after which the file is rotated. 0: never', 100),
  'audit-log-maxage': flag(integer, 'Days for which rotated files are kept. 0: forever', 366),
  'audit-log-maxbackup': flag(integer, 'Number of rotated files that are kept. 0: all', 100),
  'audit-log-compress': flag(boolean, 'Compress rotated files with gzip', false),
  'audit-log-batch-buffer-size': flag(
    integer,
    'In batch mode: maximum number of events that wait to be written; more are dropped',
    10_000,
  ),
  'audit-log-batch-max-size': flag(integer, 'In batch mode: number of events that are written together', 1),
  'audit-log-batch-max-wait': flag(duration, 'In batch mode: maximum wait for a full batch', '0s'),
  'audit-log-truncate-enabled': flag(boolean, 'Omit request and response bodies from events that are too large', false),
  'audit-log-truncate-max-event-size': flag(integer, 'Maximum size of an event in bytes', 102_400),
  'audit-log-truncate-max-batch-size': flag(
    integer,
    'Without effect for a file; must not be less than the maximum event size',
    10_485_760,
  ),
  'audit-webhook-config-file': flag(string, 'Kubeconfig of the webhook that gets audit events'),
  'audit-webhook-version': flag(string, 'Version of the events', 'audit.k8s.io/v1'),
  'audit-webhook-mode': flag(string, 'batch, blocking or blocking-strict', 'batch'),
  'audit-webhook-initial-backoff': flag(duration, 'Wait before the first retry', '10s'),
  'audit-webhook-batch-buffer-size': flag(
    integer,
    'In batch mode: maximum number of events that wait to be sent; more are dropped',
    10_000,
  ),
  'audit-webhook-batch-max-size': flag(integer, 'Maximum number of events in a request', 400),
  'audit-webhook-batch-max-wait': flag(duration, 'In batch mode: maximum wait for a full batch', '30s'),
  'audit-webhook-truncate-enabled': flag(
    boolean,
    'Omit request and response bodies from events that are too large',
    false,
  ),
  'audit-webhook-truncate-max-event-size': flag(integer, 'Maximum size of an event in bytes', 102_400),
  'audit-webhook-truncate-max-batch-size': flag(integer, 'Maximum size of a request in bytes', 10_485_760),
};

/** All supported flags, under the headings of `--help`. */
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

/** The options of an API server: kube-apiserver's flags with names in camel case, and some of our own. */
export type ApiServerOptions = Given<typeof apiServerFlags>;
export type CompletedOptions = Completed<typeof apiServerFlags>;
