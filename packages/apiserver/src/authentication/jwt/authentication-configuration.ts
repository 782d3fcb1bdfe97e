import type { ObjectReader } from '../../configuration/object-reader.ts';
import { readVersioned } from '../../configuration/read-versioned.ts';

export interface PrefixedClaimOrExpression {
  readonly claim: string;
  /** Required with a claim; may be empty. */
  readonly prefix?: string;
  readonly expression: string;
}

interface ClaimValidationRule {
  readonly claim: string;
  readonly requiredValue: string;
  readonly expression: string;
  readonly message: string;
}

/** A JWT issuer and how its claims map to users. Empty fields are not set. */
export interface JwtConfiguration {
  readonly issuer: {
    readonly url: string;
    readonly discoveryURL: string;
    /** PEM. */
    readonly certificateAuthority: string;
    readonly audiences: readonly string[];
    readonly audienceMatchPolicy: string;
    readonly egressSelectorType: string;
  };
  readonly claimValidationRules: readonly ClaimValidationRule[];
  readonly claimMappings: {
    readonly username: PrefixedClaimOrExpression;
    readonly groups: PrefixedClaimOrExpression;
    readonly uid: { readonly claim: string; readonly expression: string };
    readonly extra: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[];
}

/** Whether requests without credentials are accepted, as `system:anonymous`. */
export interface AnonymousConfiguration {
  readonly enabled: boolean;
  /** Restricts it to these paths. Empty: all paths. */
  readonly conditions: readonly { readonly path: string }[];
}

/** `--authentication-config` */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtConfiguration[];
  /** Absent: the flags apply. */
  readonly anonymous?: AnonymousConfiguration;
}

const versions: ReadonlySet<unknown> = new Set(
  ['v1', 'v1beta1', 'v1alpha1'].map((v) => `apiserver.config.k8s.io/${v}`),
);

/** Parses the file in YAML or JSON, without validation. Throws an Error when its structure is wrong. */
export function parseAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === '') throw new Error('empty config data');
  return readVersioned(text, 'AuthenticationConfiguration', versions, (document) => {
    const anonymous = document.object('anonymous');
    return {
      jwt: document.objects('jwt').map(readJwt),
      ...(anonymous && {
        anonymous: {
          enabled: anonymous.boolean('enabled') ?? false,
          conditions: anonymous.objects('conditions').map((condition) => ({ path: condition.string('path') ?? '' })),
        },
      }),
    };
  });
}

function readJwt(jwt: ObjectReader): JwtConfiguration {
  const issuer = jwt.object('issuer');
  const mappings = jwt.object('claimMappings');
  const uid = mappings?.object('uid');
  return {
    issuer: {
      url: issuer?.string('url') ?? '',
      discoveryURL: issuer?.string('discoveryURL') ?? '',
      certificateAuthority: issuer?.string('certificateAuthority') ?? '',
      audiences: issuer?.strings('audiences') ?? [],
      audienceMatchPolicy: issuer?.string('audienceMatchPolicy') ?? '',
      egressSelectorType: issuer?.string('egressSelectorType') ?? '',
    },
    claimValidationRules: jwt.objects('claimValidationRules').map((rule) => ({
      claim: rule.string('claim') ?? '',
      requiredValue: rule.string('requiredValue') ?? '',
      ...readRule(rule),
    })),
    claimMappings: {
      username: readPrefixed(mappings?.object('username')),
      groups: readPrefixed(mappings?.object('groups')),
      uid: { claim: uid?.string('claim') ?? '', expression: uid?.string('expression') ?? '' },
      extra: (mappings?.objects('extra') ?? []).map((extra) => ({
        key: extra.string('key') ?? '',
        valueExpression: extra.string('valueExpression') ?? '',
      })),
    },
    userValidationRules: jwt.objects('userValidationRules').map(readRule),
  };
}

const readRule = (rule: ObjectReader) => ({
  expression: rule.string('expression') ?? '',
  message: rule.string('message') ?? '',
});

function readPrefixed(mapping: ObjectReader | undefined): PrefixedClaimOrExpression {
  const prefix = mapping?.string('prefix');
  return {
    claim: mapping?.string('claim') ?? '',
    expression: mapping?.string('expression') ?? '',
    ...(prefix !== undefined && { prefix }),
  };
}
