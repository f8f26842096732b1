import { testInvalidInput } from './bad-input-suite.ts'

void testInvalidInput('all')
