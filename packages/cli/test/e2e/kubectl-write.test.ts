import { testTranscripts } from './test-transcripts.ts';

testTranscripts('create', 'change', 'apply', 'server-side-apply', 'delete');
