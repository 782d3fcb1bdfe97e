import { fields, labels } from '@coxswain/apimachinery';
import { type CelType, objectType } from '../values/types.ts';
import { CelError, OpaqueValue } from '../values/values.ts';

export const AUTHORIZER: CelType<AuthorizerValue> = objectType('kubernetes.authorization.Authorizer');
export const PATH_CHECK: CelType<PathCheck> = objectType('kubernetes.authorization.PathCheck');
export const GROUP_CHECK: CelType<GroupCheck> = objectType('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK: CelType<ResourceCheck> = objectType('kubernetes.authorization.ResourceCheck');
export const DECISION: CelType<DecisionValue> = objectType('kubernetes.authorization.Decision');

/** A value that has functions and nothing else; not even itself is equal to it. */
abstract class ReceiverOnly extends OpaqueValue {
  equals(): boolean {
    throw new CelError('no such overload');
  }
}

/** A question of a check: about a resource, or about a path that is none. What is left out is empty. */
export type AccessQuestion =
  | { readonly verb: string; readonly path: string }
  | (ResourceCheckAttributes & { readonly verb: string });

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** What went wrong on the way. */
  readonly error?: string | undefined;
}

/** Knows what one user may do: what has an authorizer gives expressions theirs by it. */
export interface AccessChecker {
  /** Does not reject. */
  check(question: AccessQuestion): Promise<AccessAnswer>;
  /** The same for a service account; both names are valid. */
  asServiceAccount(namespace: string, name: string): AccessChecker;
}

/** Asks on behalf of a user: what the variable `authorizer` is bound to. */
export class AuthorizerValue extends ReceiverOnly {
  readonly celType = AUTHORIZER;
  readonly #checker: AccessChecker;

  constructor(checker: AccessChecker) {
    super();
    this.#checker = checker;
  }

  /** The same for somebody else. */
  asServiceAccount(namespace: string, name: string): AuthorizerValue {
    return new AuthorizerValue(this.#checker.asServiceAccount(namespace, name));
  }

  async check(question: AccessQuestion): Promise<DecisionValue> {
    return new DecisionValue(await this.#checker.check(question));
  }
}

export class PathCheck extends ReceiverOnly {
  readonly celType = PATH_CHECK;
  readonly #authorizer: AuthorizerValue;
  readonly #path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.#authorizer = authorizer;
    this.#path = path;
  }

  check(verb: string): Promise<DecisionValue> {
    return this.#authorizer.check({ verb, path: this.#path });
  }
}

export class GroupCheck extends ReceiverOnly {
  readonly celType = GROUP_CHECK;
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** What a check of a resource can be narrowed down to. */
export interface ResourceCheckAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** A check of a resource: what the variable `authorizer.requestResource` is bound to. */
export class ResourceCheck extends ReceiverOnly {
  readonly celType = RESOURCE_CHECK;
  readonly #authorizer: AuthorizerValue;
  readonly #attributes: ResourceCheckAttributes;

  constructor(authorizer: AuthorizerValue, attributes: ResourceCheckAttributes) {
    super();
    this.#authorizer = authorizer;
    this.#attributes = attributes;
  }

  with(attributes: Partial<ResourceCheckAttributes>): ResourceCheck {
    return new ResourceCheck(this.#authorizer, { ...this.#attributes, ...attributes });
  }

  /** A selector that cannot be parsed does not narrow the check down. */
  check(verb: string): Promise<DecisionValue> {
    const { fieldSelector = '', labelSelector = '', ...rest } = this.#attributes;
    return this.#authorizer.check({
      ...rest,
      verb,
      ...(isSelector(fieldSelector, fields.parse) && { fieldSelector }),
      ...(isSelector(labelSelector, labels.parse) && { labelSelector }),
    });
  }
}

function isSelector(text: string, parse: (text: string) => unknown): boolean {
  if (text === '') return false;
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

export class DecisionValue extends ReceiverOnly {
  readonly celType = DECISION;
  readonly allowed: boolean;
  readonly reason: string;
  /** What went wrong; undefined when nothing did. */
  readonly error: string | undefined;

  constructor({ allowed, reason, error }: AccessAnswer) {
    super();
    this.allowed = allowed;
    this.reason = reason;
    this.error = error;
  }
}
