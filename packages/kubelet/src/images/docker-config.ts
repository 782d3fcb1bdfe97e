/** The credentials for a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly email: string;
}

/** Logins by registry and path, such as `registry.example/team`, as they are written in the file. */
export type DockerConfig = ReadonlyMap<string, RegistryLogin>;

/** Throws an Error, without any of the content, if the text is not the content of a `config.json`. */
export const parseDockerConfigJson = (text: string): DockerConfig => loginsOf(objectOf(parse(text))?.auths);

/** Throws an Error, without any of the content, if the text is not the content of a `.dockercfg`. */
export const parseDockercfg = (text: string): DockerConfig => loginsOf(parse(text));

/** Errors of JSON.parse quote the text, which is secret. Throws an error without it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid();
  }
}

const invalid = (): Error => new Error('error occurred while trying to unmarshal json');

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid();
  return Object.fromEntries(Object.entries(value));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw invalid();
  return value;
}

function loginsOf(value: unknown): DockerConfig {
  const logins = new Map<string, RegistryLogin>();
  for (const [location, entry] of Object.entries(objectOf(value) ?? {})) {
    const { username, password, email, auth } = objectOf(entry) ?? {};
    const login = { username: textOf(username), password: textOf(password), email: textOf(email) };
    const both = textOf(auth);
    logins.set(location, both === '' ? login : { ...login, ...decodeAuth(both) });
  }
  return logins;
}

/** Decodes `auth`: username and password with a colon between them, in base64 with or without padding. */
function decodeAuth(auth: string): Pick<RegistryLogin, 'username' | 'password'> {
  const text = auth.replace(/[\r\n]/g, '');
  const data = text.replace(/={1,2}$/, '');
  const isPadded = data !== text;
  const hasRightLength = isPadded ? text.length % 4 === 0 : data.length % 4 !== 1;
  if (!/^[A-Za-z0-9+/]*$/.test(data) || !hasRightLength) throw new Error('illegal base64 data in auth field');
  const decoded = Buffer.from(data, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new Error('unable to parse auth field, must be formatted as base64(username:password)');
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
