import { expect, it } from 'vitest';
import { parseImageName, withDefaultTag } from './image-name.ts';

const digest = `sha256:${'a'.repeat(64)}`;

it.each([
  ['nginx', 'docker.io/library/nginx', 'nginx:latest'],
  ['team/web:1', 'docker.io/team/web', 'team/web:1'],
  ['docker.io/nginx', 'docker.io/library/nginx', 'docker.io/nginx:latest'],
  ['index.docker.io/team/web', 'docker.io/team/web', 'index.docker.io/team/web:latest'],
  ['localhost/web', 'localhost/web', 'localhost/web:latest'],
  ['registry.example:5000/team/web', 'registry.example:5000/team/web', 'registry.example:5000/team/web:latest'],
  ['registry:5000', 'docker.io/library/registry', 'registry:5000'],
  [`registry.example/web@${digest}`, 'registry.example/web', `registry.example/web@${digest}`],
  [`registry.example/web:1@${digest}`, 'registry.example/web', `registry.example/web:1@${digest}`],
  ['[::1]:5000/web', '[::1]:5000/web', '[::1]:5000/web:latest'],
])('%s', (image, repository, full) => {
  expect(parseImageName(image)?.repository).toBe(repository);
  expect(withDefaultTag(image)).toBe(full);
});

it.each(['', 'Web', 'web:', 'web@sha256:1', '-web', 'registry.example/', 'a'.repeat(5000)])(
  '%j is invalid',
  (image) => {
    expect(withDefaultTag(image)).toBeUndefined();
  },
);
