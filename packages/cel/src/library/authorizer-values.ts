import { fields, labels } from '@coxswain/apimachinery';
import { type CelType, objectType } from '../values/types.ts';
import { CelError, OpaqueValue } from '../values/values.ts';

export const AUTHORIZER: CelType<AuthorizerValue> = objectType('kubernetes.authorization.Authorizer');
export const PATH_CHECK: CelType<PathCheck> = objectType('kubernetes.authorization.PathCheck');
export const GROUP_CHECK: CelType<GroupCheck> = objectType('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK: CelType<ResourceCheck> = objectType('kubernetes.authorization.ResourceCheck');
export const DECISION: CelType<DecisionValue> = objectType('kubernetes.authorization.Decision');

/** A value that only has functions. Comparing it is an error, even with itself. */
abstract class ReceiverOnly extends OpaqueValue {
  equals(): boolean {
    throw new CelError('no such overload');
  }
}

/** The attributes of an access check, of a resource or of a non-resource path. Absent attributes are empty. */
export type AccessQuestion =
  | { readonly verb: string; readonly path: string }
  | (ResourceCheckAttributes & { readonly verb: string });

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** The error of the authorizer, if any. */
  readonly error?: string | undefined;
}

/** Checks access for one user. Implemented by code with an authorizer, which passes it to expressions. */
export interface AccessChecker {
  /** Checks access. Never rejects. */
  check(question: AccessQuestion): Promise<AccessAnswer>;
  /** Returns a checker for a service account; both names are valid. */
  asServiceAccount(namespace: string, name: string): AccessChecker;
}

/** The value of the variable `authorizer`: checks access for a user. */
export class AuthorizerValue extends ReceiverOnly {
  readonly celType = AUTHORIZER;
  readonly #checker: AccessChecker;

  constructor(checker: AccessChecker) {
    super();
    this.#checker = checker;
  }

  /** Returns an authorizer for a service account. */
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

/** The attributes of a check of a resource. */
export interface ResourceCheckAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** A check of a resource; also the value of the variable `authorizer.requestResource`. */
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

  /** Checks access for a verb. Selectors that cannot be parsed are ignored. */
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
  /** The error of the authorizer; undefined if there was none. */
  readonly error: string | undefined;

  constructor({ allowed, reason, error }: AccessAnswer) {
    super();
    this.allowed = allowed;
    this.reason = reason;
    this.error = error;
  }
}
