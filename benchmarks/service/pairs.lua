-- Requests for wrk: an ask, then a report on a decision that was asked for some requests ago, and so on.
-- Arguments: the key, a word for the ids of this run.

local BEHIND = 2000 -- so many decisions wait for their report; more than there are connections

function init(arguments)
  run, number, asks = arguments[2], 0, true
  headers = { ["Authorization"] = "Bearer " .. arguments[1], ["Content-Type"] = "application/json" }
  feedback = ',"feedback":[0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1]}'
end

local function decision(which)
  return '{"decision":"' .. run .. "-" .. which .. '"'
end

function request()
  asks = not asks
  if asks and number > BEHIND + 1 then -- wrk makes one request that it never sends, the first
    return wrk.format("POST", "/v1/learners/price/tell", headers, decision(number - BEHIND) .. feedback)
  end
  number = number + 1
  return wrk.format("POST", "/v1/learners/price/ask", headers, decision(number) .. "}")
end
