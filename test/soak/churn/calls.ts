import { isNotFound } from '@coxswain/apimachinery';
import type { RESTClient } from '@coxswain/client';
import type { Churn } from './activity.ts';

const pollMs = 250;
const patienceMs = 120_000;

export type AnyObject = Readonly<Record<string, unknown>>;

export const create = (rest: RESTClient, path: string, body: AnyObject): Promise<AnyObject> =>
  rest.request({ method: 'POST', path, body });

export const get = <T = AnyObject>(rest: RESTClient, path: string, query?: object): Promise<T> =>
  rest.request<T>({ method: 'GET', path, ...(query && { query }) });

export const merge = (rest: RESTClient, path: string, body: AnyObject): Promise<AnyObject> =>
  rest.request({ method: 'PATCH', path, body, headers: { 'content-type': 'application/merge-patch+json' } });

export const apply = (rest: RESTClient, path: string, body: AnyObject, fieldManager: string): Promise<AnyObject> =>
  rest.request({
    method: 'PATCH',
    path,
    body: JSON.stringify(body),
    query: { fieldManager, force: true },
    headers: { 'content-type': 'application/apply-patch+yaml' },
  });

/** Deletes an object. Does nothing when it does not exist. */
export async function remove(rest: RESTClient, path: string): Promise<void> {
  try {
    await rest.request({ method: 'DELETE', path, query: { propagationPolicy: 'Background' } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Resolves when the condition holds. Rejects after the timeout. */
export async function until(churn: Churn, what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    if (await isSo()) return;
    await churn.sleep(pollMs);
  }
  throw new Error(`timed out waiting for ${what}`);
}

export const untilGone = (churn: Churn, path: string): Promise<void> =>
  until(churn, `${path} to be deleted`, async () => {
    try {
      await get(churn.rest, path);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  });
