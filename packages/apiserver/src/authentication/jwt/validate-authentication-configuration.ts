import {
  duplicate,
  type ErrorList,
  type FieldError,
  forbidden,
  invalid,
  isDomainPrefixedPath,
  Path,
  required,
  tooMany,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type GoUrl, parseGoUrl } from '@coxswain/cel/go-url';
import { CertificatePool } from '@coxswain/component-base/authentication';
import type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  JwtConfiguration,
  PrefixedClaimOrExpression,
} from './authentication-configuration.ts';
import type { ClaimExpression, ExpressionCompiler, UserExpression } from './expression-compiler.ts';

/** The compiled expressions of one issuer's configuration. */
export interface JwtExpressions {
  readonly username?: ClaimExpression;
  readonly groups?: ClaimExpression;
  readonly uid?: ClaimExpression;
  readonly extra: readonly { readonly key: string; readonly expression: ClaimExpression }[];
  readonly claimRules: readonly { readonly expression: ClaimExpression; readonly message: string }[];
  readonly userRules: readonly { readonly expression: UserExpression; readonly message: string }[];
}

const maxIssuers = 64;

/** Returns all problems of a configuration, with upstream's messages. */
export function validateAuthenticationConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  compiler: ExpressionCompiler,
  disallowedIssuers: readonly string[],
): ErrorList {
  const path = Path.of('jwt');
  if (jwt.length > maxIssuers) return [tooMany(path, jwt.length, maxIssuers)];
  const issuers = new Set<string>();
  const discoveryURLs = new Set<string>();
  const errors = jwt.flatMap((each, index) => {
    const at = path.index(index);
    const { url, discoveryURL } = each.issuer;
    const found = compileJwt(each, compiler, disallowedIssuers, at).errors;
    if (issuers.has(url)) found.push(duplicate(at.child('issuer', 'url'), url));
    issuers.add(url);
    if (discoveryURL !== '' && discoveryURLs.has(discoveryURL))
      found.push(duplicate(at.child('issuer', 'discoveryURL'), discoveryURL));
    discoveryURLs.add(discoveryURL);
    return found;
  });
  return [...errors, ...anonymousProblems(anonymous)];
}

/** The error for a reloaded file whose `anonymous` field differs: it must not change while the server runs. */
export const anonymousChanged = (): FieldError =>
  forbidden(Path.of('anonymous'), 'changed from initial configuration file');

function anonymousProblems(anonymous: AnonymousConfiguration | undefined): ErrorList {
  if (!anonymous || anonymous.enabled || anonymous.conditions.length === 0) return [];
  const text = 'enabled should be set to true when conditions are defined';
  // Go's name of the field.
  const conditions = anonymous.conditions.map(({ path }) => ({ Path: path }));
  return [invalid(Path.of('anonymous', 'conditions'), conditions, text)];
}

/** Validates one issuer's configuration and compiles its expressions, which must not be used when there are errors. */
export function compileJwt(
  jwt: JwtConfiguration,
  compiler: ExpressionCompiler,
  disallowedIssuers: readonly string[],
  path?: Path,
): { readonly expressions: JwtExpressions; readonly errors: ErrorList } {
  const check = new JwtCheck(compiler, path);
  check.issuer(jwt.issuer, disallowedIssuers);
  const claimRules = check.claimRules(jwt.claimValidationRules);
  const mappings = check.mappings(jwt.claimMappings, claimRules);
  const userRules = check.userRules(jwt.userValidationRules);
  return { expressions: { ...mappings, claimRules, userRules }, errors: check.errors };
}

class JwtCheck {
  readonly errors: FieldError[] = [];
  readonly #compiler: ExpressionCompiler;
  readonly #path: Path | undefined;

  constructor(compiler: ExpressionCompiler, path: Path | undefined) {
    this.#compiler = compiler;
    this.#path = path;
  }

  issuer(issuer: JwtConfiguration['issuer'], disallowedIssuers: readonly string[]): void {
    const path = this.#at('issuer');
    const { url, discoveryURL, audiences, certificateAuthority, egressSelectorType } = issuer;
    if (url === '') this.#add(required(path.child('url')));
    else this.#url(path.child('url'), url, disallowedIssuers);
    if (discoveryURL !== '') {
      const at = path.child('discoveryURL');
      if (url !== '' && withoutSlashes(url) === withoutSlashes(discoveryURL))
        this.#add(invalid(at, discoveryURL, 'discoveryURL must be different from URL'));
      this.#url(at, discoveryURL, []);
    }
    this.#audiences(path, audiences, issuer.audienceMatchPolicy);
    if (certificateAuthority !== '') {
      const problem = problemOf(() => CertificatePool.fromPem(certificateAuthority));
      if (problem !== undefined) this.#add(invalid(path.child('certificateAuthority'), '<omitted>', problem));
    }
    if (egressSelectorType !== '' && !['controlplane', 'cluster'].includes(egressSelectorType))
      this.#add(
        invalid(
          path.child('egressSelectorType'),
          egressSelectorType,
          'egress selector must be either controlplane or cluster',
        ),
      );
  }

  #url(path: Path, text: string, disallowed: readonly string[]): void {
    if (disallowed.includes(text))
      this.#add(
        invalid(path, text, `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(' ')}]`),
      );
    let url: GoUrl;
    try {
      url = parseGoUrl(text);
    } catch (error) {
      this.#add(invalid(path, text, messageOf(error)));
      return;
    }
    if (url.scheme !== 'https') this.#add(invalid(path, text, 'URL scheme must be https'));
    if (url.user !== undefined) this.#add(invalid(path, text, 'URL must not contain a username or password'));
    if (url.rawQuery) this.#add(invalid(path, text, 'URL must not contain a query'));
    if (url.escapedFragment !== '') this.#add(invalid(path, text, 'URL must not contain a fragment'));
  }

  #audiences(issuer: Path, audiences: readonly string[], policy: string): void {
    const path = issuer.child('audiences');
    if (audiences.length === 0) {
      this.#add(required(path, `at least one ${path} is required`));
      return;
    }
    for (const [index, audience] of audiences.entries()) {
      if (audience === '') this.#add(required(path.index(index)));
      if (audiences.indexOf(audience) < index) this.#add(duplicate(path.index(index), audience));
    }
    const isAny = policy === 'MatchAny';
    const policyPath = issuer.child('audienceMatchPolicy');
    if (audiences.length > 1 && !isAny)
      this.#add(invalid(policyPath, policy, 'audienceMatchPolicy must be MatchAny for multiple audiences'));
    if (audiences.length === 1 && policy !== '' && !isAny)
      this.#add(invalid(policyPath, policy, 'audienceMatchPolicy must be empty or MatchAny for single audience'));
  }

  claimRules(rules: JwtConfiguration['claimValidationRules']): JwtExpressions['claimRules'] {
    const claims = new Set<string>();
    const expressions = new Set<string>();
    return rules.flatMap(({ claim, requiredValue, expression, message }, index) => {
      const path = this.#at('claimValidationRules').index(index);
      if (claim !== '' && expression !== '') this.#add(invalid(path, claim, "claim and expression can't both be set"));
      else if (claim === '' && expression === '') this.#add(required(path, 'claim or expression is required'));
      else if (claim !== '') {
        if (message !== '')
          this.#add(invalid(path.child('message'), message, 'may not be specified when claim is set'));
        this.#isFirst(claims, claim, path.child('claim'));
      } else {
        if (requiredValue !== '')
          this.#add(invalid(path.child('requiredValue'), requiredValue, 'may not be specified when expression is set'));
        if (!this.#isFirst(expressions, expression, path.child('expression'))) return [];
        const compiled = this.#claims(path.child('expression'), expression, true);
        return compiled ? [{ expression: compiled, message }] : [];
      }
      return [];
    });
  }

  mappings(
    mappings: JwtConfiguration['claimMappings'],
    claimRules: JwtExpressions['claimRules'],
  ): Pick<JwtExpressions, 'username' | 'groups' | 'uid' | 'extra'> {
    const path = this.#at('claimMappings');
    const username = this.#prefixed(path.child('username'), mappings.username, true);
    const groups = this.#prefixed(path.child('groups'), mappings.groups, false);
    const uid = this.#uid(path.child('uid'), mappings.uid);
    const extra = this.#extra(path.child('extra'), mappings.extra);
    const checking = [
      username,
      ...extra.map(({ expression }) => expression),
      ...claimRules.map((rule) => rule.expression),
    ];
    if (username?.uses('email') && !checking.some((expression) => expression?.uses('email_verified')))
      this.#add(
        invalid(
          path.child('username', 'expression'),
          mappings.username.expression,
          'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
        ),
      );
    return { extra, ...(username && { username }), ...(groups && { groups }), ...(uid && { uid }) };
  }

  #prefixed(path: Path, mapping: PrefixedClaimOrExpression, isRequired: boolean): ClaimExpression | undefined {
    const { claim, prefix, expression } = mapping;
    if (claim !== '' && expression !== '') this.#add(invalid(path, '', "claim and expression can't both be set"));
    else if (expression !== '') {
      if (prefix !== undefined)
        this.#add(invalid(path.child('prefix'), prefix, 'may not be specified when expression is set'));
      return this.#claims(path.child('expression'), expression, false);
    } else if (claim !== '') {
      if (prefix === undefined)
        this.#add(
          required(
            path.child('prefix'),
            'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
          ),
        );
    } else if (isRequired) this.#add(required(path, 'claim or expression is required'));
    return undefined;
  }

  #uid(path: Path, { claim, expression }: JwtConfiguration['claimMappings']['uid']): ClaimExpression | undefined {
    if (expression === '') return undefined;
    if (claim === '') return this.#claims(path.child('expression'), expression, false);
    this.#add(invalid(path, '', "claim and expression can't both be set"));
    return undefined;
  }

  #extra(path: Path, mappings: JwtConfiguration['claimMappings']['extra']): JwtExpressions['extra'] {
    const keys = new Set<string>();
    return mappings.flatMap(({ key, valueExpression }, index) => {
      const at = path.index(index);
      const keyPath = at.child('key');
      this.#add(...isDomainPrefixedPath(keyPath, key));
      if (key !== key.toLowerCase()) this.#add(invalid(keyPath, key, 'must be lowercase'));
      if (isReservedDomain(key))
        this.#add(invalid(keyPath, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'));
      if (!this.#isFirst(keys, key, keyPath)) return [];
      if (valueExpression === '') {
        this.#add(required(at.child('valueExpression')));
        return [];
      }
      const expression = this.#claims(at.child('valueExpression'), valueExpression, false);
      return expression ? [{ key, expression }] : [];
    });
  }

  userRules(rules: JwtConfiguration['userValidationRules']): JwtExpressions['userRules'] {
    const expressions = new Set<string>();
    return rules.flatMap(({ expression, message }, index) => {
      const path = this.#at('userValidationRules').index(index).child('expression');
      if (expression === '') {
        this.#add(required(path));
        return [];
      }
      if (!this.#isFirst(expressions, expression, path)) return [];
      const compiled = this.#compiled(path, expression, () => this.#compiler.user(expression));
      return compiled ? [{ expression: compiled, message }] : [];
    });
  }

  #isFirst(seen: Set<string>, value: string, path: Path): boolean {
    if (seen.has(value)) {
      this.#add(duplicate(path, value));
      return false;
    }
    seen.add(value);
    return true;
  }

  #claims(path: Path, text: string, mustBeBoolean: boolean): ClaimExpression | undefined {
    return this.#compiled(path, text, () => this.#compiler.claims(text, mustBeBoolean));
  }

  #compiled<T>(path: Path, text: string, compile: () => T): T | undefined {
    try {
      return compile();
    } catch (error) {
      this.#add(invalid(path, text, messageOf(error)));
      return undefined;
    }
  }

  #at(name: string): Path {
    return this.#path?.child(name) ?? Path.of(name);
  }

  #add(...errors: FieldError[]): void {
    this.errors.push(...errors);
  }
}

function isReservedDomain(key: string): boolean {
  const at = key.indexOf('/');
  const domain = at === -1 ? '' : key.slice(0, at);
  return ['kubernetes.io', 'k8s.io'].some((reserved) => domain === reserved || domain.endsWith(`.${reserved}`));
}

function withoutSlashes(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === '/') end--;
  return url.slice(0, end);
}

function problemOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
