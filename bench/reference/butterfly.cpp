// Random games of Butterfly in plain C++, to compare the compiled play-outs with.
//
//   g++ -O3 -o butterfly butterfly.cpp && ./butterfly [players [games]]
//
// The published tiles, four nets, the last seat places the hedgehog; every choice is uniform and a net is used
// with probability 1/2. Prints games a second of processor time, the mean length and the mean score of each
// seat. Random numbers are SplitMix64 with Lemire's multiplication, one stream for the deal, one for the bag and
// one a seat, and a pile is shuffled as it is drawn from, as in the package.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "stream.h"

enum Kind { BUTTERFLY, DOUBLER, FLOWER, DRAGONFLY, FIREFLY, GRASSHOPPER, BEE, HONEYCOMB, WASP };

struct Tile {
    Kind kind;
    int value, colour;
};

struct Collection {
    int printed[4] = {}, flowers = 0, dragonfly = 0, firefly = 0, grasshopper = 0, bees = 0, wasps = 0;
    bool doubled[4] = {};
    int combs[6] = {};

    void take(const Tile &tile) {
        switch (tile.kind) {
        case BUTTERFLY: printed[tile.colour] += tile.value; break;
        case DOUBLER: doubled[tile.colour] = true; break;
        case FLOWER: flowers++; break;
        case DRAGONFLY: dragonfly = std::max(dragonfly, tile.value); break;
        case FIREFLY: firefly = firefly ? std::min(firefly, tile.value) : tile.value; break;
        case GRASSHOPPER: grasshopper = tile.value; break;
        case BEE: bees++; break;
        case HONEYCOMB: combs[tile.value - 10]++; break;
        case WASP: wasps += tile.value; break;
        }
    }

    int score() const {
        int total = flowers * flowers + dragonfly + firefly + grasshopper - wasps, free = bees;
        for (int c = 0; c < 4; c++) total += printed[c] * (doubled[c] ? 2 : 1);
        for (int v = 15; v >= 10; v--)
            for (int i = 0; i < combs[v - 10] && free; i++, free--) total += v;
        return total - 3 * free;
    }
};

static std::vector<Tile> box() {
    std::vector<Tile> tiles;
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < 10; i++) tiles.push_back({BUTTERFLY, 1 + i / 2, c});
        tiles.push_back({DOUBLER, 0, c});
    }
    for (int i = 0; i < 13; i++) tiles.push_back({FLOWER, 0, 0});
    for (Kind kind : {DRAGONFLY, FIREFLY, GRASSHOPPER})
        for (int v = 1; v <= 9; v++) tiles.push_back({kind, v, 0});
    for (int i = 0; i < 6; i++) tiles.push_back({BEE, 0, 0});
    for (int v = 10; v <= 15; v++) tiles.push_back({HONEYCOMB, v, 0});
    for (int v = 4; v <= 7; v++) tiles.push_back({WASP, v, 0});
    return tiles;
}

struct Game {
    int side, players, left;
    std::vector<Tile> pile, board;
    std::vector<char> lying, net;
    std::vector<Collection> collections;

    Game(int players) : side(players + 4), players(players), board(side * side), lying(side * side), net(side * side) {
        for (int r : {1, side - 2})
            for (int c : {1, side - 2}) net[r * side + c] = 1;
    }

    Tile draw(Stream &stream) {
        int at = stream.below(left--);
        std::swap(pile[at], pile[left]);
        return pile[left];
    }

    int play(const std::vector<Tile> &tiles, Stream deal, Stream bag, std::vector<Stream> seats) {
        static const int down[4] = {-1, 0, 1, 0}, right[4] = {0, 1, 0, -1};
        pile = tiles;
        left = (int)pile.size();
        for (int square = 0; square < side * side; square++) board[square] = draw(deal), lying[square] = 1;
        collections.assign(players, Collection());
        int start = seats[players - 1].below(4 * side * side), seat = 0, length = 1;
        int row = start / 4 / side, col = start / 4 % side, facing = start % 4;
        for (;; seat = (seat + 1) % players, length++) {
            int to[64], way[64], offer[64], n = 0;
            for (int f = 0; f < 4; f++) {
                if (f == (facing + 2) % 4) continue;
                int offered = 0;
                for (int r = row + down[f], c = col + right[f]; r >= 0 && r < side && c >= 0 && c < side;
                     r += down[f], c += right[f]) {
                    int square = r * side + c;
                    if (lying[square]) to[n] = square, way[n] = f, offer[n++] = offered;
                    else if (net[square] && left) offered = 1;
                }
            }
            if (!n) return length;
            int k = seats[seat].below(n);
            row = to[k] / side, col = to[k] % side, facing = way[k];
            lying[to[k]] = 0;
            collections[seat].take(board[to[k]]);
            if (offer[k] && seats[seat].below(2)) collections[seat].take(draw(bag));
        }
    }
};

int main(int argc, char **argv) {
    int players = argc > 1 ? atoi(argv[1]) : 2, games = argc > 2 ? atoi(argv[2]) : 1000000;
    std::vector<Tile> tiles = box();
    std::vector<double> sums(players);
    Game game(players);
    double lengths = 0;
    clock_t begin = clock();
    for (int g = 0; g < games; g++) {
        auto stream = [&](uint64_t key) { return Stream(key * 0xD1342543DE82EF95ULL, g); };
        std::vector<Stream> seats;
        for (int seat = 0; seat < players; seat++) seats.push_back(stream(3 + seat));
        lengths += game.play(tiles, stream(1), stream(2), seats);
        for (int seat = 0; seat < players; seat++) sums[seat] += game.collections[seat].score();
    }
    double seconds = double(clock() - begin) / CLOCKS_PER_SEC;
    printf("%d players: %.0f games/s, length %.3f, scores", players, games / seconds, lengths / games);
    for (double sum : sums) printf(" %.3f", sum / games);
    printf("\n");
}
