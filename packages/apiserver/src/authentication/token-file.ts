import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { UserInfo } from '@coxswain/api';
import type { Logger } from '@coxswain/apimachinery/log';
import { parseCsv } from '@coxswain/component-base';
import type { Authenticated, TokenAuthenticator } from '@coxswain/component-base/authentication';

interface Entry {
  readonly digest: Buffer;
  readonly found: Authenticated;
}

/**
 * Authenticates static tokens by their digests. The digests are salted, so that nobody can choose a token whose digest
 * is close to another one's and learn from the time that the lookup takes.
 */
export class StaticTokenAuthenticator implements TokenAuthenticator {
  readonly #salt = randomBytes(32).toString('base64');
  readonly #entries = new Map<string, Entry>();

  constructor(tokens: Iterable<readonly [token: string, user: UserInfo]>) {
    for (const [token, user] of tokens) {
      const digest = this.#digest(token);
      this.#entries.set(digest.toString('base64'), { digest, found: { user } });
    }
  }

  async authenticateToken(token: string): Promise<Authenticated | undefined> {
    const digest = this.#digest(token);
    const entry = this.#entries.get(digest.toString('base64'));
    return entry && timingSafeEqual(entry.digest, digest) ? entry.found : undefined;
  }

  #digest(token: string): Buffer {
    return hash('sha256', this.#salt + token, 'buffer');
  }
}

/**
 * Loads the file of `--token-auth-file`: lines of token, user name, user UID and, optionally, groups in one quoted
 * column. Throws an Error with upstream's message for an invalid file. Warnings are logged without the token.
 */
export async function loadTokenFile(path: string, logger: Logger): Promise<TokenAuthenticator> {
  const records = parseCsv(await readFile(path, 'utf8'));
  const tokens = new Map<string, UserInfo>();
  for (const [index, record] of records.entries()) {
    const [token, username, uid, groups] = record;
    if (token === undefined || username === undefined || uid === undefined)
      throw new Error(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
      );
    const where = { path, record: index + 1 };
    if (token === '') {
      logger.warn('Empty token has been found in token file', where);
      continue;
    }
    if (tokens.has(token)) logger.warn('Duplicate token has been found in token file', where);
    tokens.set(token, { username, ...(uid && { uid }), ...(groups !== undefined && { groups: groups.split(',') }) });
  }
  return new StaticTokenAuthenticator(tokens);
}
