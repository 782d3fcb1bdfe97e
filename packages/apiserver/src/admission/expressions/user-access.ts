import type { UserInfo } from '@coxswain/api';
import type { AccessAnswer, AccessChecker, AccessQuestion } from '@coxswain/cel/library';
import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';
import type { Authorizer } from '../../authorization/index.ts';
import { resourceAttributes } from '../../authorization/resource-attributes.ts';
import { serviceAccountUser } from '../../serviceaccount/index.ts';

/** Authorizer checks of a user: the variable `authorizer` of expressions. */
export class UserAccess implements AccessChecker {
  readonly #user: UserInfo;
  readonly #authorizer: Authorizer;

  constructor(user: UserInfo, authorizer: Authorizer) {
    this.#user = user;
    this.#authorizer = authorizer;
  }

  asServiceAccount(namespace: string, name: string): AccessChecker {
    return new UserAccess(serviceAccountUser({ namespace, name, uid: '' }), this.#authorizer);
  }

  async check(question: AccessQuestion): Promise<AccessAnswer> {
    try {
      const { decision, reason, error } = await this.#authorizer.authorize(attributesOf(this.#user, question));
      return { allowed: decision === 'allow', reason, error: error?.message };
    } catch (error) {
      return { allowed: false, reason: '', error: error instanceof Error ? error.message : '' };
    }
  }
}

function attributesOf(user: UserInfo, question: AccessQuestion): AuthorizationAttributes {
  if ('path' in question) {
    return resourceAttributes({ ...question, user, resource: '', resourceRequest: false, apiVersion: '' });
  }
  const { group, ...rest } = question;
  return resourceAttributes({ ...rest, user, apiGroup: group });
}
