import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Validate = ((data: unknown) => unknown) & { errors?: unknown }
type Serialize = (data: unknown) => string

const buildValidator = AjvCompiler()
const buildSerializer = SerializerSelector()

/** Compiles the schemas of a route on first use. Compiling all of them at startup would double the startup time. */
const factories = {
  compilersFactory: {
    buildValidator: (...given: Parameters<typeof buildValidator>) => {
      const compile = buildValidator(...given) as (route: object) => Validate
      return (route: object): Validate => {
        let compiled: Validate | undefined
        const validate: Validate = data => {
          compiled ??= compile(route)
          const result = compiled(data)
          validate.errors = compiled.errors
          return result
        }
        return validate
      }
    },
    buildSerializer: (...given: Parameters<typeof buildSerializer>) => {
      const compile = buildSerializer(...given) as (route: object) => Serialize
      return (route: object): Serialize => {
        let compiled: Serialize | undefined
        return data => (compiled ??= compile(route))(data)
      }
    },
  },
}

// The types of both packages describe functions with their schema attached, which Fastify does not read.
export const lazySchemas = factories as unknown as NonNullable<FastifyServerOptions['schemaController']>
