import { aggregate } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { describe, expect, it } from 'vitest';
import { parseAuthenticationConfiguration } from '../../src/authentication/index.ts';
import { loadExpressionCompiler } from '../../src/authentication/jwt/expression-compiler.ts';
import { validateAuthenticationConfiguration } from '../../src/authentication/jwt/validate-authentication-configuration.ts';
import { checkAuthorizationConfiguration, parseAuthorizationConfigurationFile } from '../../src/authorization/index.ts';
import recorded from '../recorded/access-configurations.json' with { type: 'json' };
import { authenticationDocuments, authorizationDocuments } from './configurations.ts';

async function authenticationProblem(document: unknown): Promise<string> {
  try {
    const configuration = parseAuthenticationConfiguration(JSON.stringify(document));
    const compiler = await loadExpressionCompiler(configuration);
    return aggregate(validateAuthenticationConfiguration(configuration, compiler, ['https://sa.example.com']));
  } catch (error) {
    return `load: ${messageOf(error)}`;
  }
}

async function authorizationProblem(document: unknown): Promise<string> {
  try {
    await checkAuthorizationConfiguration(parseAuthorizationConfigurationFile(JSON.stringify(document)));
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

/** Removes the name of Go's scheme registry from a message. */
const comparable = (text: string): string => text.replace(/ in scheme ".*?"/, ' in scheme');

describe('an AuthenticationConfiguration is validated like upstream', () => {
  const expected = new Map(Object.entries(recorded.authentication));
  it.each(Object.entries(authenticationDocuments))('%s', async (name, document) => {
    expect(await authenticationProblem(document)).toBe(comparable(expected.get(name) ?? 'not recorded'));
  });
});

describe('an AuthorizationConfiguration is validated like upstream', () => {
  const expected = new Map(Object.entries(recorded.authorization));
  it.each(Object.entries(authorizationDocuments))('%s', async (name, document) => {
    expect(await authorizationProblem(document)).toBe(comparable(expected.get(name) ?? 'not recorded'));
  });
});
