# snippet
inspect() {
  npx @modelcontextprotocol/inspector --cli "$MCP_ADDRESS" --transport http --protocol-era modern \
    --header "Authorization: Bearer $MCP_KEY" "$@"
}
# end
inspect "$@"
