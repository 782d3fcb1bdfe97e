import type { UserInfo } from '@coxswain/api';
import { fields, labels } from '@coxswain/apimachinery';
import type { AuthorizationAttributes, Authorizer, Decision } from '@coxswain/component-base/authorization';
import { resourceAttributes } from '../../authorization/resource-attributes.ts';
import { type CelType, objectType } from '../types.ts';
import { CelError, OpaqueValue } from '../values.ts';

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

/** Asks an authorizer on behalf of a user: what the variable `authorizer` is bound to. */
export class AuthorizerValue extends ReceiverOnly {
  readonly celType = AUTHORIZER;
  readonly user: UserInfo;
  readonly authorizer: Authorizer;

  constructor(user: UserInfo, authorizer: Authorizer) {
    super();
    this.user = user;
    this.authorizer = authorizer;
  }

  /** The same for somebody else. */
  as(user: UserInfo): AuthorizerValue {
    return new AuthorizerValue(user, this.authorizer);
  }

  async check(
    attributes: Pick<AuthorizationAttributes, 'verb'> & Partial<AuthorizationAttributes>,
  ): Promise<DecisionValue> {
    try {
      const decision = await this.authorizer.authorize(
        resourceAttributes({ resource: '', ...attributes, user: this.user }),
      );
      return new DecisionValue(decision, decision.error?.message);
    } catch (error) {
      return new DecisionValue({ decision: 'no opinion', reason: '' }, error instanceof Error ? error.message : '');
    }
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
    return this.#authorizer.check({ verb, path: this.#path, resourceRequest: false, apiVersion: '' });
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
    const { group, fieldSelector = '', labelSelector = '', ...rest } = this.#attributes;
    return this.#authorizer.check({
      ...rest,
      verb,
      apiGroup: group,
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

  constructor({ decision, reason }: Decision, error?: string) {
    super();
    this.allowed = decision === 'allow';
    this.reason = reason;
    this.error = error;
  }
}
