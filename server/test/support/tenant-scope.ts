import { parse } from 'libpg-query'

/** A part of a syntax tree: an object with one key, the type of the node, or a list of such objects. */
type Node = any
type Aliases = Map<string, string>

/** A query of a union, which has no object of its own around it. */
const isUnionBranch = (type: string, value: Node): boolean =>
  (type === 'larg' || type === 'rarg') && value?.targetList !== undefined

/** Stands for a value from outside of the query: a parameter, an outer query or a CTE. */
const ROOT = '(root)'

/** A secret belongs to exactly one organization, so a lookup by its hash is limited to that organization. */
const SECRET_HASHES = new Set(['hash', 'secret_hash', 'state_hash', 'code_hash'])

/**
 * The tables of tenants that a statement reads or writes without their `organization_id`. In each query, the `organization_id` of a
 * table must be equal to a value from outside of the query, directly or through other tables of the same query; an insert must set
 * it. The hash of a secret counts like the `organization_id`.
 */
export const findUnscopedTables = async (
  sql: string,
  tenantTables: ReadonlySet<string>,
): Promise<string[]> => {
  const { stmts } = (await parse(sql)) as Node
  const found: string[] = []
  const isTenant = (table: Node): boolean => tenantTables.has(table.relname)

  const visit = (node: Node, ctes: ReadonlySet<string>): void => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) {
      for (const item of node) visit(item, ctes)
      return
    }
    for (const [type, value] of Object.entries<Node>(node)) {
      const known = value?.withClause
        ? new Set([...ctes, ...value.withClause.ctes.map((cte: Node) => cte.CommonTableExpr.ctename)])
        : ctes
      if (type === 'SelectStmt' || isUnionBranch(type, value))
        checkQuery(value.fromClause ?? [], value.whereClause, known)
      if (type === 'UpdateStmt')
        checkQuery([{ RangeVar: value.relation }, ...(value.fromClause ?? [])], value.whereClause, known)
      if (type === 'DeleteStmt')
        checkQuery([{ RangeVar: value.relation }, ...(value.usingClause ?? [])], value.whereClause, known)
      if (type === 'InsertStmt') checkInsert(value)
      visit(value, known)
    }
  }

  const checkInsert = ({ relation, cols = [] }: Node): void => {
    if (isTenant(relation) && !cols.some((column: Node) => column.ResTarget.name === 'organization_id'))
      found.push(relation.relname)
  }

  const checkQuery = (from: Node[], where: Node, ctes: ReadonlySet<string>): void => {
    const aliases: Aliases = new Map()
    const conditions: Node[] = where ? [where] : []
    const links: [string, string][] = []
    const collect = (item: Node): string[] => {
      if (item.RangeVar) {
        const { relname, alias } = item.RangeVar
        if (ctes.has(relname) || !isTenant(item.RangeVar)) return []
        const name = alias?.aliasname ?? relname
        aliases.set(name, relname)
        return [name]
      }
      if (!item.JoinExpr) return []
      const { larg, rarg, quals, usingClause = [] } = item.JoinExpr
      const [left, right] = [collect(larg), collect(rarg)]
      if (quals) conditions.push(quals)
      if (usingClause.some((column: Node) => column.String.sval === 'organization_id'))
        for (const one of left.length > 0 ? left : [ROOT])
          for (const other of right.length > 0 ? right : [ROOT]) links.push([one, other])
      return [...left, ...right]
    }
    for (const item of from) collect(item)
    if (aliases.size === 0) return
    for (const condition of conditions.flatMap(conjuncts)) links.push(...equalities(condition, aliases))
    const scoped = new Set([ROOT])
    for (let size = 0; size < scoped.size; ) {
      size = scoped.size
      for (const [a, b] of links) {
        if (scoped.has(a)) scoped.add(b)
        if (scoped.has(b)) scoped.add(a)
      }
    }
    for (const [alias, table] of aliases) if (!scoped.has(alias)) found.push(table)
  }

  visit(stmts, new Set())
  return found
}

const conjuncts = (condition: Node): Node[] =>
  condition?.BoolExpr?.boolop === 'AND_EXPR' ? condition.BoolExpr.args.flatMap(conjuncts) : [condition]

/** Pairs of aliases whose `organization_id` the condition requires to be equal. */
const equalities = (condition: Node, aliases: Aliases): [string, string][] => {
  if (condition.SubLink?.subLinkType === 'ANY_SUBLINK') {
    const { testexpr } = condition.SubLink
    return (testexpr.RowExpr?.args ?? [testexpr]).flatMap((tested: Node) => {
      const alias = ownerOf(tested, aliases)
      return alias ? [[alias, ROOT]] : []
    })
  }
  const { kind, name, lexpr, rexpr } = condition.A_Expr ?? {}
  if (!['AEXPR_OP', 'AEXPR_OP_ANY', 'AEXPR_IN'].includes(kind) || name[0].String.sval !== '=') return []
  const [left, right] = [ownerOf(lexpr, aliases), ownerOf(rexpr, aliases)]
  return left || right ? [[left ?? ROOT, right ?? ROOT]] : []
}

/** The alias of this query whose `organization_id`, or hash of a secret, the expression is. */
const ownerOf = (expression: Node, aliases: Aliases): string | null => {
  const fields = (expression?.ColumnRef?.fields ?? []).map((field: Node) => field.String?.sval)
  const column = fields.at(-1)
  if (column !== 'organization_id' && !SECRET_HASHES.has(column)) return null
  if (fields.length === 1) return aliases.size === 1 ? ([...aliases.keys()][0] ?? null) : null
  return aliases.has(fields[0]) ? fields[0] : null
}
