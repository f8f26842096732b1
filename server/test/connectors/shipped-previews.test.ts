import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { loadCatalog } from '../../src/features/connectors/catalog/catalog.ts'
import { fillValue } from '../../src/features/upstream/templates/template.ts'
import { exampleOf } from '../support/example-arguments.ts'

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })

test('shipped previews: the arguments of a call have the types that the tool that reads takes', () => {
  let previews = 0
  for (const { slug, tools } of loadCatalog({ sandbox_url: 'http://localhost:4001' }).all())
    for (const tool of tools)
      for (const preview of tool.preview ?? []) {
        previews++
        const read = tools.find(({ name }) => name === preview.tool)
        const given = fillValue(
          preview.arguments,
          exampleOf(tool.input_schema, true) as Record<string, unknown>,
        )
        const validate = ajv.compile(read?.input_schema ?? false)
        validate(given)
        // A call may name a channel by its name, which the tool that reads does not accept. It is not previewed then.
        const wrong = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'pattern')
        assert.deepEqual(wrong, [], `${slug}__${tool.name} → ${preview.tool} ${JSON.stringify(given)}`)
      }
  assert.ok(previews >= 135, `${previews} previews`)
})
